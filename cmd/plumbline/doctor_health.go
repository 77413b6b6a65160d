package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

type healthCmd struct {
	Addr    string        `help:"Address that the server listens on." default:"127.0.0.1:8080"`
	Timeout time.Duration `help:"How long to wait for the answer." default:"3s"`
}

// Run asks /healthz; the exit code is 0 if the server is well and 1 if not. An
// image without a shell or curl checks itself with it.
func (c *healthCmd) Run(ctx context.Context, std streams) error {
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return fmt.Errorf("read --addr %q: %w", c.Addr, err)
	}
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1" // listening everywhere includes here
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/healthz", nil)
	if err != nil {
		return fmt.Errorf("ask %s: %w", c.Addr, err)
	}
	client := &http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("ask %s whether it is well: %w", c.Addr, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 4<<10))
	if err != nil {
		return fmt.Errorf("read the answer of %s: %w", c.Addr, err)
	}
	text := printable(strings.TrimSpace(string(body)))
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s is not well: %s: %s", c.Addr, res.Status, text)
	}
	fmt.Fprintln(std.out, text)
	return nil
}
