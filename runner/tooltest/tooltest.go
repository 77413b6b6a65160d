// Package tooltest holds reviews with tools on bundled cases, with a real store,
// queue and sandbox, and an endpoint that plays scripts.
package tooltest
