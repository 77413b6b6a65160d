package evidence

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumbline/experiments/trace"
)

// realRoot is the folder of real public files, or the test is skipped; with
// PLUMBLINE_TEST_REQUIRE=all a missing folder fails.
func realRoot(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("PLUMBLINE_SHARED")
	if dir == "" {
		at, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for at != filepath.Dir(at) {
			if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
				break
			}
			at = filepath.Dir(at)
		}
		dir = filepath.Join(at, "..", "shared")
	}
	dir = filepath.Join(dir, "data", "real")
	if _, err := os.Stat(dir); err != nil {
		why := "real data not found at " + dir + "; set PLUMBLINE_SHARED"
		if os.Getenv("PLUMBLINE_TEST_REQUIRE") == "all" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	return dir
}

// realInstances reads rows of SWE-bench Verified and Lite.
func realInstances(t *testing.T, root string) map[string]trace.Instance {
	t.Helper()
	out := map[string]trace.Instance{}
	for _, name := range []string{"swe-bench-lite.used.jsonl", "swe-bench-verified.used.jsonl"} {
		raw, err := os.ReadFile(filepath.Join(root, "datasets", name))
		if err != nil {
			t.Fatal(err)
		}
		for row := range strings.Lines(string(raw)) {
			var r struct {
				ID    string `json:"instance_id"`
				Issue string `json:"problem_statement"`
				Gold  string `json:"patch"`
				Test  string `json:"test_patch"`
				F2P   any    `json:"FAIL_TO_PASS"`
				P2P   any    `json:"PASS_TO_PASS"`
			}
			if err := json.Unmarshal([]byte(row), &r); err != nil {
				t.Fatalf("read a row of %s: %v", name, err)
			}
			out[r.ID] = trace.Instance{ID: r.ID, Issue: r.Issue, Oracle: trace.Oracle{
				GoldPatch: r.Gold, TestPatch: r.Test, FailToPass: stringList(t, r.F2P), PassToPass: stringList(t, r.P2P),
			}}
		}
	}
	return out
}

func stringList(t *testing.T, v any) []string {
	t.Helper()
	var out []string
	switch v := v.(type) {
	case string:
		if err := json.Unmarshal([]byte(v), &out); err != nil {
			t.Fatal(err)
		}
	case []any:
		for _, x := range v {
			out = append(out, x.(string))
		}
	}
	return out
}

// realTraces reads the trajectories of two agents, as far as a reviewer sees them.
func realTraces(t *testing.T, root string) []trace.Trace {
	t.Helper()
	var out []trace.Trace
	minis, _ := filepath.Glob(filepath.Join(root, "mini-swe-agent-1x", "trajs", "*", "*.traj.json"))
	for _, p := range minis {
		var d struct {
			ID   string `json:"instance_id"`
			Info struct {
				Submission string `json:"submission"`
			} `json:"info"`
			Messages []struct{ Role, Content string } `json:"messages"`
		}
		readJSON(t, p, &d)
		tr := trace.Trace{InstanceID: strings.TrimSuffix(filepath.Base(p), ".traj.json"), Agent: "mini", Patch: d.Info.Submission, PatchState: trace.PatchText}
		for i, m := range d.Messages {
			s := trace.Step{Index: i, Kind: trace.StepAction, Action: m.Content}
			switch {
			case m.Role == "system":
				s.Kind = trace.StepSystem
			case m.Role == "user" && i < 2:
				s.Kind = trace.StepUser
			case m.Role == "user":
				s.Kind, s.Action, s.Observation = trace.StepObservation, "", m.Content
			default:
				tr.Summary = m.Content
			}
			tr.Steps = append(tr.Steps, s)
		}
		out = append(out, tr)
	}
	swe, _ := filepath.Glob(filepath.Join(root, "sweagent-2024-verified", "trajs", "*.traj"))
	for _, p := range swe {
		var d struct {
			Info struct {
				Submission string `json:"submission"`
			} `json:"info"`
			Trajectory []struct{ Action, Observation, Thought string } `json:"trajectory"`
		}
		readJSON(t, p, &d)
		tr := trace.Trace{InstanceID: strings.TrimSuffix(filepath.Base(p), ".traj"), Agent: "swe-agent", Patch: d.Info.Submission, PatchState: trace.PatchText}
		for i, m := range d.Trajectory {
			tr.Steps = append(tr.Steps, trace.Step{Index: i, Kind: trace.StepAction, Thought: m.Thought, Action: m.Action, Observation: m.Observation})
			tr.Summary = m.Thought
		}
		out = append(out, tr)
	}
	if len(out) < 50 {
		t.Fatalf("found %d real traces, want at least 50", len(out))
	}
	return out
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("read %s: %v", path, err)
	}
}
