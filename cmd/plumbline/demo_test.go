package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"plumbline/models"
)

// demo is a started demo with what it said.
type demo struct {
	cmd  *exec.Cmd
	url  string // with the trailing slash
	page string // of the first experiment
	err  bytes.Buffer
}

func startDemo(t *testing.T, dir string) *demo {
	t.Helper()
	d := &demo{cmd: exec.Command(os.Args[0], "demo", "--addr=127.0.0.1:0", "--data="+dir, "--log-level=error")}
	d.cmd.Env = append(os.Environ(), asProgram+"=1")
	d.cmd.Stderr = &d.err
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.cmd.Process.Kill() })
	lines := bufio.NewReader(out)
	for _, want := range []struct {
		prefix string
		into   *string
	}{{"Plumbline is at ", &d.url}, {"The first experiment, with simulated reviewers, is at ", &d.page}, {"Ctrl-C ends it", nil}} {
		line, err := lines.ReadString('\n')
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), want.prefix)
		if err != nil || !ok {
			d.cmd.Process.Kill()
			t.Fatalf("the demo said %q (%v), want %q\n%s", line, err, want.prefix, d.err.String())
		}
		if want.into != nil {
			*want.into = rest
		}
	}
	return d
}

// interrupt is Ctrl-C: the demo must end by itself and say that all went well.
func (d *demo) interrupt(t *testing.T) {
	t.Helper()
	if err := d.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- d.cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("Ctrl-C ended the demo with %v\n%s", err, d.err.String())
		}
	case <-time.After(time.Minute):
		t.Fatal("Ctrl-C did not end the demo")
	}
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// demoState is what a second start may not double.
type demoState struct{ datasets, traces, experiments, reviewers, items int }

func readDemo(t *testing.T, dir string) (demoState, models.Progress) {
	t.Helper()
	ctx, v := context.Background(), models.LocalAdmin()
	s, err := models.Open(ctx, filepath.Join(dir, "plumbline.db"), models.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	datasets, err := s.Datasets(ctx, v)
	if err != nil {
		t.Fatal(err)
	}
	experiments, err := s.Experiments(ctx, v, models.ExperimentFilter{})
	if err != nil {
		t.Fatal(err)
	}
	if len(datasets) == 0 || len(experiments) == 0 {
		t.Fatalf("%d datasets, %d experiments", len(datasets), len(experiments))
	}
	reviewers, err := s.Reviewers(ctx, v, datasets[0].ProjectID)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Progress(ctx, v, experiments[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	return demoState{len(datasets), datasets[0].Traces, len(experiments), len(reviewers), p.Total}, p
}

// TestDemo is a newcomer's first minute: the demo starts on a free port, is well,
// shows an experiment under way, ends by Ctrl-C, and a second start goes on with
// it and doubles nothing.
func TestDemo(t *testing.T) {
	dir := t.TempDir()
	began := time.Now()
	first := startDemo(t, dir)
	if code, body := get(t, first.url); code != http.StatusOK || !strings.Contains(body, "Plumbline") {
		t.Errorf("the first page answers %d: %.200s", code, body)
	}
	t.Logf("first page after %v", time.Since(began).Round(time.Millisecond))
	if code, body := get(t, first.url+"healthz"); code != http.StatusOK || body != "ok\n" {
		t.Errorf("/healthz answers %d %q", code, body)
	}
	if code, body := get(t, first.page); code != http.StatusOK || !strings.Contains(strings.ToLower(body), "simulated") {
		t.Errorf("the experiment's page answers %d and does not say that its reviewers are simulated", code)
	}
	var out, errs bytes.Buffer
	addr := strings.TrimSuffix(strings.TrimPrefix(first.url, "http://"), "/")
	if code := program(t, streams{nil, &out, &errs}, "health", "--addr", addr); code != 0 || out.String() != "ok\n" {
		t.Errorf("health says %d %q %q", code, out.String(), errs.String())
	}
	first.interrupt(t)
	before, p := readDemo(t, dir)
	if p.Votes == 0 || p.Votes >= p.VotesAsked {
		t.Fatalf("stopped with %d of %d votes: too late or too early to see it resume", p.Votes, p.VotesAsked)
	}

	second := startDemo(t, dir)
	if path := func(u string) string { return u[strings.Index(u, "experiments/"):] }; path(first.page) != path(second.page) {
		t.Errorf("the second start shows %s, the first showed %s", second.page, first.page)
	}
	deadline := time.Now().Add(20 * time.Second)
	for {
		after, now := readDemo(t, dir)
		if after != before {
			t.Fatalf("the second start changed %+v to %+v", before, after)
		}
		if now.Votes > p.Votes {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("no new vote within 20 s of the second start: %+v", now)
		}
		time.Sleep(50 * time.Millisecond)
	}
	second.cmd.Process.Signal(syscall.SIGTERM)
	if err := second.cmd.Wait(); err != nil {
		t.Errorf("SIGTERM ended the demo with %v\n%s", err, second.err.String())
	}
}
