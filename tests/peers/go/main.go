// main.go [--http PORT | --stateless PORT] - by the official Go SDK: both eras; over HTTP older
// versions have sessions, and the newest has none
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type pair struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}
type choice struct {
	Unit string   `json:"unit"`
	Tags []string `json:"tags,omitempty"`
}
type none struct{}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

func add(_ context.Context, _ *mcp.CallToolRequest, in pair) (*mcp.CallToolResult, any, error) {
	return text(fmt.Sprint(in.A + in.B)), nil, nil
}

func pick(_ context.Context, _ *mcp.CallToolRequest, in choice) (*mcp.CallToolResult, any, error) {
	s, err := json.Marshal(in)
	return text(string(s)), nil, err
}

func fail(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) {
	return nil, nil, fmt.Errorf("boom")
}

// Since 2026-07-28 a question is part of the result, and the call comes again with its answer.
func ask(ctx context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
	who := &mcp.ElicitParams{Message: "Who are you?", RequestedSchema: map[string]any{
		"type": "object", "required": []string{"name"},
		"properties": map[string]any{"name": map[string]any{"type": "string", "description": "yours"}}}}
	answer, ok := req.Params.InputResponses["who"].(*mcp.ElicitResult)
	if !ok && req.Session.InitializeParams().ProtocolVersion >= "2026-07-28" {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"who": who}}, nil, nil
	}
	if !ok {
		var err error
		if answer, err = req.Session.Elicit(ctx, who); err != nil {
			return nil, nil, err
		}
	}
	if answer.Action != "accept" {
		return text("Nobody"), nil, nil
	}
	return text(fmt.Sprintf("Hello %v", answer.Content["name"])), nil, nil
}

func complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	values := []string{}
	for _, name := range []string{"Ada", "Alan"} {
		if strings.HasPrefix(name, req.Params.Argument.Value) {
			values = append(values, name)
		}
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values}}, nil
}

func read(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := req.Params.URI
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		{URI: uri, Text: uri[strings.LastIndex(uri, "/")+1:]}}}, nil
}

func greet(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
		{Role: "user", Content: &mcp.TextContent{Text: "Greet " + req.Params.Arguments["who"] + "."}}}}, nil
}

func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "peer", Version: "1.0.0"},
		&mcp.ServerOptions{CompletionHandler: complete})
	mcp.AddTool(server, &mcp.Tool{Name: "add", Description: "Adds."}, add)
	mcp.AddTool(server, &mcp.Tool{Name: "pick", Description: "Picks.", InputSchema: map[string]any{
		"type": "object", "properties": map[string]any{
			"unit": map[string]any{"type": "string", "default": "celsius", "enum": []string{"celsius", "fahrenheit"}},
			"tags": map[string]any{"type": "array", "items": map[string]any{"type": "string"}}}}}, pick)
	mcp.AddTool(server, &mcp.Tool{Name: "fail", Description: "Fails."}, fail)
	mcp.AddTool(server, &mcp.Tool{Name: "ask", Description: "Asks."}, ask)
	server.AddResource(&mcp.Resource{URI: "res://hello", Name: "hello", MIMEType: "text/plain"}, read)
	server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "res://item/{id}", Name: "item"}, read)
	server.AddPrompt(&mcp.Prompt{Name: "greet", Description: "Greets.",
		Arguments: []*mcp.PromptArgument{{Name: "who", Required: true}}}, greet)
	if len(os.Args) < 3 {
		if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			os.Exit(1)
		}
		return
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: os.Args[1] == "--stateless"})
	if err := http.ListenAndServe("127.0.0.1:"+os.Args[2], handler); err != nil {
		os.Exit(1)
	}
}
