// Package sandbox is the only package that starts processes. For now it tells
// what a host offers: which isolating backends and which tools are installed and
// work when they are tried, since a program that is there may still be refused by
// the kernel or by a container's rules.
package sandbox
