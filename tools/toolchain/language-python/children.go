package main

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// gracePeriod is what a child gets between SIGTERM and SIGKILL; the engine gives this host five seconds in all.
const gracePeriod = 2 * time.Second

// children runs processes that never outlive this host. Each has a process group of its own, so that a signal meant
// for the engine or for the host does not interrupt a Python program in the middle of a call.
type children struct {
	end    context.Context
	cancel context.CancelFunc
	alive  sync.WaitGroup
	start  sync.RWMutex // held for writing once the end has begun: nothing starts after that
}

func newChildren() *children {
	end, cancel := context.WithCancel(context.Background())
	return &children{end: end, cancel: cancel}
}

// run starts the command, waits for it and returns its exit code. The process group ends when ctx or the host does.
func (c *children) run(ctx context.Context, name string, args []string, configure func(*exec.Cmd)) (int, error) {
	c.start.RLock()
	if c.end.Err() != nil {
		c.start.RUnlock()
		return 0, c.end.Err()
	}
	c.alive.Add(1)
	c.start.RUnlock()
	defer c.alive.Done()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.end, cancel)()

	cmd := exec.CommandContext(ctx, name, args...)
	configure(cmd)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = gracePeriod

	// The kernel ties the parent-death signal to the thread that forked: it must live as long as the child.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	dieWithParent(cmd.SysProcAttr)

	err := cmd.Run()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what the child itself has left behind
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// killAll ends every child and returns when none is left.
func (c *children) killAll() {
	c.start.Lock()
	c.cancel()
	c.start.Unlock()
	c.alive.Wait()
}
