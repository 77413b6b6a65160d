package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner/reviewer/reviewertest"
)

// killRounds is how often a running experiment's server is killed on each engine.
const killRounds = 30

// TestKill kills the server with SIGKILL at random points of a running
// experiment, over and over, and starts it again. At the end there are exactly
// the votes that were asked for, none doubled and none lost, every item has its
// decision, and the endpoint was asked about each vote again only if its call was
// in flight at a kill.
func TestKill(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			dir := t.TempDir()
			database := filepath.Join(dir, "plumbline.db")
			if engine == "postgres" {
				database = modelstest.PostgresURL(t)
			}
			testKill(t, dir, database)
		})
	}
}

const killVotes = 9

func testKill(t *testing.T, dir, database string) {
	const concurrency = 6
	endpoint := reviewertest.New(t, reviewertest.Options{Latency: 60 * time.Millisecond})
	id := launchForKill(t, dir, database, endpoint.URL, concurrency)
	rng := rand.New(rand.NewPCG(1, 2))
	kills, fruitful := 0, 0
	before := int64(0)
	for range killRounds {
		p := startServer(t, dir, database)
		time.Sleep(time.Duration(200+rng.IntN(500)) * time.Millisecond) // the random point
		p.kill(t)
		kills++
		if now := votesStored(t, database, id); now > before {
			before = now
			fruitful++
		}
	}
	s := startServer(t, dir, database)
	began := time.Now()
	prog := waitDone(t, database, id, before)
	s.kill(t)
	if fruitful < killRounds/3 {
		t.Errorf("only %d of %d kills hit an experiment that was being worked on", fruitful, kills)
	}
	t.Logf("%d kills, %d while votes came in; %d votes when the last server started, all %d after %v; %d requests", kills, fruitful, before, prog.Votes, time.Since(began).Round(100*time.Millisecond), endpoint.Stats().Requests)

	if prog.Votes != prog.VotesAsked || prog.Done != prog.Total || prog.Total == 0 {
		t.Errorf("after %d kills: %+v", kills, prog)
	}
	checkVotes(t, database, id)
	// A kill loses the calls in flight and the answers on their way into the
	// database, of which there are no more; nothing else is asked twice.
	if most := int(prog.VotesAsked) + kills*2*concurrency; endpoint.Stats().Requests > most {
		t.Errorf("%d requests for %d votes and %d kills: more than %d were asked again", endpoint.Stats().Requests, prog.VotesAsked, kills, most)
	}
}

func launchForKill(t *testing.T, dir, database, url string, concurrency int) string {
	t.Helper()
	ctx := context.Background()
	g := &Globals{Data: dir, Database: database, LogLevel: "error", LogFormat: "text", DBConns: 10, Lease: time.Second}
	std := streams{nil, &bytes.Buffer{}, os.Stderr}
	a, err := newApp(ctx, g, std)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	v := models.LocalAdmin()
	p, err := a.store.EnsureProject(ctx, "default", "Default project")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.runner.LoadBundled(ctx, v, p.ID); err != nil {
		t.Fatal(err)
	}
	file := fmt.Sprintf(`
name: kill
dataset: Bundled cases
votes: %d
reviewers:
  - name: endpoint
    kind: openai
    base_url: %s
    model: m
    concurrency: %d
arms:
  - reviewer: endpoint
    forms: [summary, patch, official]
`, killVotes, url, concurrency)
	f, err := parseRunFile("kill.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	spec, err := f.resolve(ctx, a.store, v, p.ID)
	if err != nil {
		t.Fatal(err)
	}
	e, err := a.runner.Launch(ctx, v, spec)
	if err != nil {
		t.Fatal(err)
	}
	return e.ID
}

type server struct {
	cmd *exec.Cmd
	err bytes.Buffer
}

// startServer starts the program as a process and waits until it says that it
// listens.
func startServer(t *testing.T, dir, database string) *server {
	t.Helper()
	s := &server{cmd: exec.Command(os.Args[0], "serve", "--addr=127.0.0.1:0", "--data="+dir, "--log-level=error", "--lease=300ms")}
	s.cmd.Env = append(os.Environ(), asProgram+"=1", "PLUMBLINE_DATABASE="+database)
	s.cmd.Stderr = &s.err
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.Contains(line, "Plumbline is at") {
		s.cmd.Process.Kill()
		t.Fatalf("the server did not start: %q %v\n%s", line, err, s.err.String())
	}
	return s
}

func (s *server) kill(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.cmd.Wait() // says that it was killed
}

func openForKill(t *testing.T, database string) *models.Store {
	t.Helper()
	s, err := models.Open(context.Background(), database, models.Options{MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func votesStored(t *testing.T, database, id string) int64 {
	t.Helper()
	p, err := openForKill(t, database).Progress(context.Background(), models.LocalAdmin(), id)
	if err != nil {
		t.Fatal(err)
	}
	return p.Votes
}

// waitDone waits for the experiment's end. Work of the killed server must go on
// within ten seconds of the restart.
func waitDone(t *testing.T, database, id string, before int64) models.Progress {
	t.Helper()
	s := openForKill(t, database)
	start := time.Now()
	for {
		p, err := s.Progress(context.Background(), models.LocalAdmin(), id)
		if err != nil {
			t.Fatal(err)
		}
		switch waited := time.Since(start); {
		case p.State == models.StateDone:
			return p
		case p.Votes == before && waited > 10*time.Second:
			t.Fatalf("no new vote within 10 s of the restart: %+v", p)
		case waited > 2*time.Minute:
			t.Fatalf("not done after %v: %+v", waited, p)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func checkVotes(t *testing.T, database, id string) {
	t.Helper()
	seen := map[string]map[int]bool{}
	err := openForKill(t, database).EachVote(context.Background(), models.LocalAdmin(), id, func(d models.VoteDetail) error {
		if seen[d.ItemID] == nil {
			seen[d.ItemID] = map[int]bool{}
		}
		if seen[d.ItemID][d.Idx] {
			t.Errorf("vote %d of item %s twice", d.Idx, d.ItemID)
		}
		seen[d.ItemID][d.Idx] = true
		if !json.Valid([]byte(d.Citations)) || d.Raw == "" {
			t.Errorf("vote %d of item %s lost its text", d.Idx, d.ItemID)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for item, idx := range seen {
		if len(idx) != killVotes {
			t.Errorf("item %s has %d of %d votes", item, len(idx), killVotes)
		}
	}
}
