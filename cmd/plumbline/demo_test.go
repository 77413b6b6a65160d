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
	"plumbline/models/modelstest"
	"plumbline/runner/sandbox"
)

// demo is a started demo with what it said.
type demo struct {
	cmd  *exec.Cmd
	url  string   // with the trailing slash
	page string   // of the first experiment
	more []string // what it said of labels and checks
	err  bytes.Buffer
}

func startDemo(t *testing.T, dir string, flags ...string) *demo {
	t.Helper()
	d := &demo{cmd: exec.Command(os.Args[0], append([]string{"demo", "--addr=127.0.0.1:0", "--data=" + dir, "--log-level=error"}, flags...)...)}
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
	for {
		line, err := lines.ReadString('\n')
		line = strings.TrimSpace(line)
		if err != nil {
			d.cmd.Process.Kill()
			t.Fatalf("the demo said %q (%v)\n%s", line, err, d.err.String())
		}
		if rest, ok := strings.CutPrefix(line, "Plumbline is at "); ok {
			d.url = rest
		} else if rest, ok := strings.CutPrefix(line, "The first experiment, with simulated reviewers, is at "); ok {
			d.page = rest
		} else if strings.HasPrefix(line, "Ctrl-C ends it") {
			break
		} else {
			d.more = append(d.more, line)
		}
	}
	if d.url == "" || d.page == "" {
		d.cmd.Process.Kill()
		t.Fatalf("the demo named no page: %q", d.more)
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
type demoState struct{ datasets, traces, experiments, reviewers, items, labelRuns int }

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
	runs, err := s.LabelRuns(ctx, v, datasets[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range experiments {
		if e.Name != demoName {
			continue
		}
		p, err := s.Progress(ctx, v, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		return demoState{len(datasets), datasets[0].Traces, len(experiments), len(reviewers), p.Total, len(runs)}, p
	}
	t.Fatal("the first experiment is not there")
	return demoState{}, models.Progress{}
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
	if before.traces != 84+55 { // recorded attempts and controlled cases
		t.Errorf("the demo has %d traces", before.traces)
	}
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

// Where no sandbox works the demo says so and goes on without labels and checks;
// a later start with one makes up for it.
func TestDemoWithoutSandbox(t *testing.T) {
	missing := ""
	for _, name := range []string{sandbox.Apptainer, sandbox.Podman, sandbox.Docker} {
		if _, err := sandbox.Open(context.Background(), name, sandbox.Options{}); err != nil {
			missing = name
		}
	}
	if missing == "" {
		modelstest.Need(t, "a sandbox that does not work here")
	}
	dir := t.TempDir()
	first := startDemo(t, dir, "--sandbox="+missing)
	if len(first.more) != 1 || !strings.HasPrefix(first.more[0], "Nothing is labelled or checked, because no sandbox works: ") {
		t.Errorf("the demo said %q", first.more)
	}
	if code, _ := get(t, first.page); code != http.StatusOK {
		t.Errorf("the first experiment answers %d", code)
	}
	first.interrupt(t)
	before, _ := readDemo(t, dir)
	if before.experiments != 1 || before.labelRuns != 0 {
		t.Errorf("without a sandbox there are %+v", before)
	}
	if _, err := sandbox.Open(context.Background(), sandbox.Auto, sandbox.Options{}); err != nil {
		modelstest.Need(t, err.Error())
	}
	second := startDemo(t, dir)
	if len(second.more) != 2 || !strings.Contains(second.more[0], "/funnel") || !strings.Contains(second.more[1], "/labelruns/") {
		t.Errorf("the demo said %q", second.more)
	}
	for _, line := range second.more {
		if code, body := get(t, line[strings.Index(line, "http://"):]); code != http.StatusOK {
			t.Errorf("%s: %d %.200s", line, code, body)
		}
	}
	second.interrupt(t)
	if after, _ := readDemo(t, dir); after.experiments != 2 || after.labelRuns != 1 {
		t.Errorf("with a sandbox there are %+v", after)
	}
}
