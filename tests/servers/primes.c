/* primes.c - a plain loop that tells how far it is, and stops when the client gives up */
#define MCP_IMPLEMENTATION
#include "mcp.h"

enum { SLICE = 10000 };   /* numbers between two looks at the client: a millisecond or so */

static bool is_prime(int64_t n) {
    if (n < 2) return false;
    for (int64_t d = 2; d * d <= n; d++)
        if (n % d == 0) return false;
    return true;
}

/* While this runs, mcp_cancelled also answers pings and queues other calls: no thread is needed. */
static int primes(mcp_call *c) {
    int64_t n = mcp_arg_int(c, "n"), count = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i % SLICE == 0 && i) {
            if (mcp_cancelled(c)) return MCP_CANCELLED;
            mcp_progress(c, (double)i, (double)n, "counting");   /* nothing is sent unless asked */
        }
        count += is_prime(i);
    }
    return mcp_textf(c, "%lld primes below %lld", (long long)count, (long long)n);
}

static const mcp_arg primes_args[] = {
    { .name = "n", .type = MCP_INTEGER, .desc = "count those below n", .flags = MCP_REQUIRED,
      .min = "2", .max = "10000000" },
    { 0 } };

static const mcp_tool tools[] = {
    { .name = "primes", .desc = "Counts primes.", .args = primes_args, .call = primes,
      .hints = MCP_READ_ONLY },
    { 0 } };

int main(void) {
    static const mcp_server_desc desc = { .name = "primes", .tools = tools };
    return mcp_serve_stdio(&desc);
}
