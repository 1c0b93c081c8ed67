package main

import "syscall"

// dieWithParent covers what killAll cannot: a SIGKILL of this host.
func dieWithParent(attributes *syscall.SysProcAttr) {
	attributes.Pdeathsig = syscall.SIGKILL
}
