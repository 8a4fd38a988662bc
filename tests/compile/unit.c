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
mcp_server *inside_server_without_system(const mcp_server_desc *desc) {
    mcp__system nothing;
    memset(&nothing, 0, sizeof nothing);
    return mcp__server_new(desc, &nothing);
}
