/* unit.c - the implementation that unit tests share, and what they see of its inside: unit.h */
extern unsigned asserted;
#define MCP_ASSERT(x) ((x) ? (void)0 : (void)asserted++)
#define MCP_IMPLEMENTATION
#include "mcp.h"
#include "../inside.h"

unsigned asserted;
size_t inside_held(const mcp_conn *k) { return k->held.len; }
const char *inside_principal(const mcp_conn *k) { return k->principal; }
void inside_set_ready(mcp_conn *k, bool (*ready)(mcp_conn *k)) { k->ready_to_write = ready; }
bool inside_has_meta(const mcp_call *c) { return c->has_meta; }
size_t inside_depth(const mcp_server *s) { return s->desc.limits.depth; }
void inside_forget_random(mcp_server *s) { s->desc.random.func = NULL; }
mcp_server *inside_server_without_system(const mcp_server_desc *desc) {
    mcp__system nothing;
    memset(&nothing, 0, sizeof nothing);
    return mcp__server_new(desc, &nothing);
}
void inside_hmac(const char *key, size_t n, const char *data, size_t size, unsigned char mac[32]) {
    mcp__hmac x;
    mcp__hmac_init(&x, key, n);
    for (size_t i = 0; i < size; i++) mcp__hmac_add(&x, data + i, 1); /* however it is cut */
    mcp__hmac_end(&x, mac);
}
