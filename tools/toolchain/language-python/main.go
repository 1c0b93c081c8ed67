// Command pulumi-language-python is the Pulumi language host for Python on machines without the official CLI, whose
// own host is not published as a Go module. It runs programs, policy packs and provider plugins with the interpreter
// that `runtime.options.virtualenv` names, and installs nothing: the virtual environment is made by `make setup`.
//
// The engine starts it with its own address as the last argument and reads the port from the first line of output.
package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
)

// The engine's own limit (sdk/v3 go/common/util/rpcutil): configuration may be larger than gRPC's default of 4 MB.
const maxMessageSize = 400 << 20

func main() {
	// Flags that the engine passes when it is asked to log or trace; none changes what this host does.
	flag.Bool("logtostderr", false, "accepted and ignored")
	flag.Int("v", 0, "accepted and ignored")
	flag.String("tracing", "", "accepted and ignored")
	flag.Parse()

	if err := serve(flag.Arg(flag.NArg() - 1)); err != nil {
		fmt.Fprintln(os.Stderr, "pulumi-language-python:", err)
		os.Exit(1)
	}
}

func serve(engineAddress string) error {
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	children := newChildren()
	server := grpc.NewServer(grpc.MaxRecvMsgSize(maxMessageSize), grpc.MaxSendMsgSize(maxMessageSize))
	pulumirpc.RegisterLanguageRuntimeServer(server, &host{
		engineAddress: engineAddress,
		executor:      filepath.Join(filepath.Dir(executable), "pulumi-language-python-exec"),
		children:      children,
	})

	go func() {
		waitForEnd()
		children.killAll()
		server.Stop()
	}()
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	return server.Serve(listener)
}

// waitForEnd returns when the engine ends this host (SIGINT) or has died itself, in which case nobody will ask.
func waitForEnd() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	parent := os.Getppid()
	poll := time.NewTicker(200 * time.Millisecond)
	defer poll.Stop()
	for {
		select {
		case <-signals:
			return
		case <-poll.C:
			if os.Getppid() != parent {
				return
			}
		}
	}
}
