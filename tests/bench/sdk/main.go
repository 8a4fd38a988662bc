// main.go - the tool of http.c's server, served by the official Go SDK: sdk PORT
package main

import (
	"context"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type pair struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}
type sum struct {
	Sum float64 `json:"sum"`
}

func add(_ context.Context, _ *mcp.CallToolRequest, in pair) (*mcp.CallToolResult, sum, error) {
	return nil, sum{in.A + in.B}, nil
}

func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "add", Description: "Adds two numbers."}, add)
	handler := mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	if err := http.ListenAndServe("127.0.0.1:"+os.Args[1], handler); err != nil {
		os.Exit(1)
	}
}
