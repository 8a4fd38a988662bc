/* weather.c - arguments with defaults, choices and bounds; a structured result; a failure */
#define MCP_IMPLEMENTATION
#include "mcp.h"
#include <stdlib.h>

#include <string.h>

static const mcp_arg forecast_args[] = {
    { .name = "city",  .desc = "city name", .flags = MCP_REQUIRED },
    { .name = "days",  .type = MCP_INTEGER, .desc = "how far ahead", .def = "3",
      .min = "1", .max = "10" },
    { .name = "units", .desc = "temperature scale", .def = "celsius",
      .choices = "celsius|fahrenheit", .labels = "°C|°F" },
    { 0 } };

static const mcp_arg forecast_out[] = {
    { .name = "city",  .flags = MCP_REQUIRED },
    { .name = "units", .flags = MCP_REQUIRED, .choices = "celsius|fahrenheit" },
    { .name = "highs", .type = MCP_ARRAY, .flags = MCP_REQUIRED, .items = MCP_NUMBER },
    { 0 } };

static int forecast(mcp_call *c) { /* days and units are there, given or not, and within bounds */
    const char *city = mcp_arg_str(c, "city");
    const char *units = mcp_arg_str(c, "units");
    if (strcmp(city, "Atlantis") == 0)
        return mcp_failf(c, "no weather station in %s", city);

    mcp_writer *w = mcp_structured(c);
    mcp_put_str(w, "city", city);
    mcp_put_str(w, "units", units);
    mcp_put_arr(w, "highs");
    for (int64_t day = 0; day < mcp_arg_int(c, "days"); day++) {
        double high = 21.5 + (double)day;
        mcp_put_num(w, NULL, *units == 'f' ? high * 1.8 + 32 : high);
    }
    mcp_put_end(w);
    return MCP_OK;
}

static const mcp_tool tools[] = {
    { .name = "forecast", .desc = "Daily highs for a city.", .args = forecast_args,
      .call = forecast, .out = forecast_out, .hints = MCP_READ_ONLY },
    { 0 } };

int main(int argc, char **argv) {
    mcp_server_desc desc = {
        .name = "weather",
        .version = "1.0.0",
        .instructions = "Ask for one city at a time.",
        .tools = tools };
    if (argc < 2 || strcmp(argv[1], "--http") != 0) return mcp_serve_stdio(&desc);
    if (argc > 2) desc.http.port = atoi(argv[2]);
    return mcp_serve_http(&desc); /* --http [PORT]: http://127.0.0.1:8080/mcp */
}
