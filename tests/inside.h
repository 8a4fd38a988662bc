/* inside.h - what unit tests see of the implementation's inside: compile/unit.c tells it */
#ifndef INSIDE_H
#define INSIDE_H

extern unsigned asserted; /* how many assertions of the header have failed */

size_t inside_held(const mcp_conn *k); /* bytes that are fed and not looked at yet */
const char *inside_principal(const mcp_conn *k);
void inside_set_ready(mcp_conn *k, bool (*ready)(mcp_conn *k));
bool inside_has_meta(const mcp_call *c);
size_t inside_depth(const mcp_server *s);
void inside_forget_random(mcp_server *s); /* as where there is no system that has it */
mcp_server *inside_server_without_system(const mcp_server_desc *desc);
void inside_hmac(const char *key, size_t n, const char *data, size_t size, unsigned char mac[32]);

#endif
