/* labels.c - a route whose generated words are Chinese */
#define MCP_IMPLEMENTATION
#include "mcp.h"

#include <stdlib.h>
#include <string.h>

static int calculate(mcp_call *c) {
    double sum = 0;
    int n = 0;
    for (const char *p = mcp_arg_str(c, "numbers"); p; p = strchr(p, ','), p = p ? p + 1 : NULL)
        sum += atof(p), n++;
    mcp_writer *w = mcp_structured(c);
    mcp_put_num(w, "result", n ? sum / n : 0);
    mcp_put_str(w, "operation", mcp_arg_str(c, "operation"));
    mcp_put_int(w, "count", n);
    mcp_put_int(w, "input_length", n);
    return MCP_OK;
}
static int given(mcp_call *c) { return mcp_put_json(mcp_structured(c), NULL, mcp_args(c)), MCP_OK; }

static const mcp_arg calculate_args[] = {
    { .name = "numbers", .desc = "数值向量，用于计算统计数据", .flags = MCP_REQUIRED },
    { .name = "operation", .desc = "要执行的统计操作：\"mean\"、\"median\"、\"sum\"、\"sd\"",
      .def = "mean" },
    { .name = "na_rm", .type = MCP_BOOLEAN, .desc = "是否移除NA值的逻辑值", .def = "true" },
    { .name = "digits", .type = MCP_INTEGER, .desc = "结果的小数位数", .def = "2" },
    { 0 } };
static const mcp_arg calculate_out[] = {
    { .name = "result", .type = MCP_NUMBER }, { .name = "operation" },
    { .name = "count", .type = MCP_NUMBER }, { .name = "input_length", .type = MCP_NUMBER },
    { 0 } };
static const mcp_tool routes[] = {
    { .args = calculate_args, .call = calculate, .route = "POST /calculate",
      .title = "计算数值数据的统计操作", .out = calculate_out },
    { .name = "greet", .call = given, .route = "GET /问候/{name}" }, { 0 } };

static const mcp_labels chinese = {
    .endpoint = "端点：", .parameters = "参数：", .by_default = "默认：", .method = "HTTP方法：",
    .path = "路径：", .parameter = "参数 ", .field = "响应字段：", .object = "结构化的响应对象",
    .response = "API端点的响应" };

int main(void) {
    mcp_server_desc desc = { .name = "labels", .tools = routes, .labels = &chinese };
    return mcp_serve_stdio(&desc);
}
