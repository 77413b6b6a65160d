// Package sandbox runs programs of strangers and is the only package that starts
// processes.
//
// A Cmd is shaped like exec.Cmd; a Backend runs it and answers with a Report that
// names the cause of its end. Whatever the backend, a program sees: an empty
// environment, no network, a read-only system, a private /tmp, and Box, a folder
// of its own that holds what Cmd.Mounts puts there. It is limited in time, memory,
// processes, output and disk, and everything it started ends with it. What a
// backend cannot enforce is said in Report.Gaps; the backend "none" enforces
// nothing of this and marks its reports as unsandboxed.
//
// Open picks a backend and tries it with a real program, because one that is
// installed may still be refused by the kernel or by the rules of a container.
// Probe tells what a host offers.
//
// Trusted runs a program of this system on the operator's own data, such as git;
// it is no sandbox.
package sandbox
