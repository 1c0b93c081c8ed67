package main

import (
	"io"
	"sync"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// pluginOutput turns what a plugin writes into messages of one stream, which takes one sender at a time.
type pluginOutput struct {
	stream pulumirpc.LanguageRuntime_RunPluginServer
	lock   sync.Mutex
}

func newPluginOutput(stream pulumirpc.LanguageRuntime_RunPluginServer) *pluginOutput {
	return &pluginOutput{stream: stream}
}

func (o *pluginOutput) send(response *pulumirpc.RunPluginResponse) error {
	o.lock.Lock()
	defer o.lock.Unlock()
	return o.stream.Send(response)
}

func (o *pluginOutput) stdout() io.Writer {
	return writer(func(data []byte) error {
		return o.send(&pulumirpc.RunPluginResponse{Output: &pulumirpc.RunPluginResponse_Stdout{Stdout: data}})
	})
}

func (o *pluginOutput) stderr() io.Writer {
	return writer(func(data []byte) error {
		return o.send(&pulumirpc.RunPluginResponse{Output: &pulumirpc.RunPluginResponse_Stderr{Stderr: data}})
	})
}

func (o *pluginOutput) exit(code int) error {
	return o.send(&pulumirpc.RunPluginResponse{Output: &pulumirpc.RunPluginResponse_Exitcode{Exitcode: int32(code)}})
}

type writer func([]byte) error

func (w writer) Write(data []byte) (int, error) {
	if err := w(data); err != nil {
		return 0, err
	}
	return len(data), nil
}
