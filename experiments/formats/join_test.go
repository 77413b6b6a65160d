package formats_test

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/formats"
	"plumbline/experiments/trace"
)

const fix = "diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\n"

var otherFix = strings.Replace(fix, "+b", "+c", 1)

// tree is an import in memory: path → content.
type tree map[string]string

// read imports a tree in the order of its paths.
func (tr tree) read(t *testing.T, opt formats.Options) formats.Joined {
	t.Helper()
	j := formats.NewJoiner(opt)
	paths := make([]string, 0, len(tr))
	for p := range tr {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	for _, p := range paths {
		f, _ := formats.Sniff(p, []byte(tr[p]))
		rep, err := formats.Read(f, strings.NewReader(tr[p]), formats.Source{Path: p, Size: int64(len(tr[p]))}, j.Add)
		if err != nil {
			t.Fatal(err)
		}
		j.File(rep)
	}
	return j.Finish()
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

type obj = map[string]any

func traj(t *testing.T, id, patch string) string {
	t.Helper()
	return text(t, obj{"environment": "swe_main", "trajectory": []obj{{"action": "ls", "observation": "x", "thought": "Look."}}, "history": []obj{}, "info": obj{"exit_status": "submitted", "submission": patch, "model_stats": obj{"instance_cost": 0.1, "tokens_sent": 5, "tokens_received": 1, "api_calls": 1}}})
}

func pred(t *testing.T, id, model, patch string) string {
	t.Helper()
	return text(t, obj{"instance_id": id, "model_name_or_path": model, "model_patch": patch}) + "\n"
}

func report(t *testing.T, id string, resolved bool, f2p, p2p [2]int) string {
	t.Helper()
	names := func(n int, prefix string) []string {
		out := []string{}
		for i := range n {
			out = append(out, fmt.Sprint(prefix, i))
		}
		return out
	}
	return text(t, obj{id: obj{"patch_is_None": false, "patch_exists": true, "patch_successfully_applied": true, "resolved": resolved, "tests_status": obj{
		"FAIL_TO_PASS": obj{"success": names(f2p[0], "a"), "failure": names(f2p[1], "b")},
		"PASS_TO_PASS": obj{"success": names(p2p[0], "c"), "failure": names(p2p[1], "d")},
	}}})
}

// brief is what the tests compare of an attempt.
func brief(a *formats.Attempt) string {
	t := a.Trace
	resolved := "null"
	if t.Outcome.Resolved != nil {
		resolved = fmt.Sprint(*t.Outcome.Resolved)
	}
	s := fmt.Sprintf("%s #%d %s %s resolved %s: %s %s %s (%d sources)", t.InstanceID, t.Attempt, t.Agent, a.Patch.State, resolved, t.Outcome.Label, t.Outcome.Bucket, t.Outcome.Reason, len(a.Sources()))
	return strings.Join(strings.Fields(s), " ")
}

func TestJoin(t *testing.T) {
	t.Parallel()
	id := "acme__shop-7"
	tests := []struct {
		name      string
		in        tree
		want      []string
		conflicts []string
	}{
		{"all files of one attempt", tree{
			"trajs/" + id + ".traj":            traj(t, id, fix),
			"all_preds.jsonl":                  pred(t, id, "bot", "\n"+fix),
			"logs/" + id + "/patch.diff":       strings.Replace(fix, "index 1..2", "index 11..22", 1),
			"logs/" + id + "/report.json":      report(t, id, false, [2]int{1, 1}, [2]int{3, 0}),
			"logs/" + id + "/run_instance.log": "INFO - Creating container for x\nResult for " + id + ": resolved: False\n",
		}, []string{"acme__shop-7 #1 SWE-agent text resolved false: defective omission unresolved (5 sources)"}, nil},
		{"broken old tests make a regression", tree{
			"preds.jsonl":                 pred(t, id, "bot", fix),
			"logs/" + id + "/report.json": report(t, id, false, [2]int{2, 0}, [2]int{3, 1}),
		}, []string{"acme__shop-7 #1 bot text resolved false: defective regression unresolved (2 sources)"}, nil},
		{"duplicates inside a file stay, in other files they are merged", tree{
			"a.jsonl": pred(t, id, "bot", fix) + pred(t, id, "bot", otherFix) + pred(t, id, "bot", fix),
			"b.jsonl": pred(t, id, "bot", otherFix),
		}, []string{
			"acme__shop-7 #1 bot text resolved null: unknown (1 sources)",
			"acme__shop-7 #2 bot text resolved null: unknown (2 sources)",
			"acme__shop-7 #3 bot text resolved null: unknown (1 sources)",
		}, nil},
		{"the verdict on another patch is not used", tree{
			"preds.jsonl":                 pred(t, id, "bot", otherFix),
			"logs/" + id + "/patch.diff":  fix,
			"logs/" + id + "/report.json": report(t, id, true, [2]int{1, 0}, [2]int{1, 0}),
		}, []string{
			"acme__shop-7 #1 bot text resolved null: unknown (1 sources)",
			"acme__shop-7 #1 text resolved true: acceptable resolved (2 sources)",
		}, []string{"the evaluated patch differs from the submitted one; it is kept as an attempt of its own"}},
		{"reports that disagree leave it open", tree{
			"preds.jsonl":                 pred(t, id, "bot", fix),
			"logs/" + id + "/report.json": report(t, id, true, [2]int{1, 0}, [2]int{1, 0}),
			"bot.night.json":              text(t, obj{"total_instances": 1, "submitted_instances": 1, "completed_ids": []string{id}, "resolved_ids": []string{}, "unresolved_ids": []string{id}}),
		}, []string{"acme__shop-7 #1 bot text resolved true: unknown ambiguous (3 sources)"},
			[]string{"outcomes disagree: logs/acme__shop-7/report.json says resolved, bot.night.json says not resolved; the label stays unknown"}},
		{"runs beside each other do not mix", tree{
			"runA/trajs/" + id + ".traj": traj(t, id, fix),
			"runA/results.json":          text(t, obj{"resolved": []string{id}, "no_generation": []string{}}),
			"runB/preds.jsonl":           pred(t, id, "bot", fix),
			"runB/results.json":          text(t, obj{"resolved": []string{}, "no_generation": []string{}}),
		}, []string{
			"acme__shop-7 #1 SWE-agent text resolved true: acceptable resolved (2 sources)",
			"acme__shop-7 #1 bot text resolved false: defective unresolved (2 sources)",
		}, nil},
		{"a report named after model and run judges that run", tree{
			"output/one/preds.json":  text(t, obj{id: obj{"instance_id": id, "model_name_or_path": "a/m", "model_patch": fix}}),
			"output/two/preds.json":  text(t, obj{id: obj{"instance_id": id, "model_name_or_path": "b/m", "model_patch": fix}}),
			"a__m.one.json":          text(t, obj{"total_instances": 1, "submitted_instances": 1, "completed_ids": []string{id}, "resolved_ids": []string{id}, "unresolved_ids": []string{}}),
			"output/one/readme.json": `{"x": 1}`,
		}, []string{
			"acme__shop-7 #1 a/m text resolved true: acceptable resolved (2 sources)",
			"acme__shop-7 #1 b/m text resolved null: unknown (1 sources)",
		}, nil},
		{"reasons of the harness", tree{
			"preds.jsonl": pred(t, "acme__shop-1", "m", fix) + pred(t, "acme__shop-2", "m", fix) + pred(t, "acme__shop-3", "m", fix) + pred(t, "acme__shop-4", "m", "") + pred(t, "acme__shop-5", "m", fix),
			"m.night.json": text(t, obj{"total_instances": 9, "submitted_instances": 5, "completed_ids": []string{"acme__shop-1", "acme__shop-2"}, "resolved_ids": []string{}, "unresolved_ids": []string{"acme__shop-1", "acme__shop-2"},
				"error_ids": []string{"acme__shop-3"}, "infra_failure_ids": []string{"acme__shop-2"}, "empty_patch_ids": []string{"acme__shop-4"}, "ambiguous_failure_ids": []string{"acme__shop-3"}, "incomplete_ids": []string{"acme__shop-5"}}),
		}, []string{
			"acme__shop-1 #1 m text resolved false: defective unresolved (2 sources)",
			"acme__shop-2 #1 m text resolved null: unknown infra (2 sources)",
			"acme__shop-3 #1 m text resolved null: unknown ambiguous (2 sources)",
			"acme__shop-4 #1 m empty resolved false: defective no_change empty_patch (2 sources)",
			"acme__shop-5 #1 m text resolved null: unknown not_submitted (2 sources)",
		}, nil},
		{"a claim is no label", tree{
			"preds.jsonl": pred(t, id, "hybrid-bot", fix),
			"final.json":  text(t, obj{"total_instances": 1, "baseline": obj{"resolved_ids": []string{}}, "hybrid": obj{"resolved_ids": []string{id}, "both": 0}}),
		}, []string{"acme__shop-7 #1 hybrid-bot text resolved true: unknown claimed (2 sources)"}, nil},
		{"of growing conversations the last counts", tree{
			"llm_completions/" + id + "/m-1.json": text(t, obj{"messages": []obj{}, "response": obj{"model": "m"}, "args": 0, "timestamp": 1.0}),
			"llm_completions/" + id + "/m-2.json": text(t, obj{"messages": []obj{{"role": "assistant", "content": "x"}}, "response": obj{"model": "m"}, "args": 0, "timestamp": 2.0}),
		}, []string{"acme__shop-7 #1 OpenHands not published resolved null: unknown (1 sources)"}, nil},
		{"steps of a localisation are shared by its samples", tree{
			"loc_outputs.jsonl":               text(t, obj{"instance_id": id, "found_files": []string{"a.py"}, "file_traj": obj{"response": "a.py"}}) + "\n",
			"repair/output_1_processed.jsonl": pred(t, id, "agentless", fix) + pred(t, id, "agentless", otherFix),
		}, []string{
			"acme__shop-7 #1 agentless text resolved null: unknown (2 sources)",
			"acme__shop-7 #2 agentless text resolved null: unknown (2 sources)",
		}, nil},
		{"labels of an export come back", tree{
			"traces.jsonl": text(t, obj{"trace_id": "1", "instance_id": id, "agent": "bot", "model": "m", "attempt": 3, "patch_state": "text", "patch": fix, "label": "defective", "bucket": "omission", "label_source": "manual", "steps": []obj{{"kind": "action"}}}) + "\n" +
				text(t, obj{"trace_id": "2", "instance_id": "acme__shop-8", "agent": "bot", "patch_state": "empty", "label": "unknown", "label_source": "", "steps": []obj{}}) + "\n",
		}, []string{
			"acme__shop-7 #3 bot text resolved false: defective omission (1 sources)",
			"acme__shop-8 #1 bot empty resolved null: unknown (1 sources)",
		}, nil},
		{"a log alone is an attempt without a label", tree{
			"logs/" + id + "/run_instance.log": "INFO - Creating container for x\n",
		}, []string{"acme__shop-7 #1 resolved null: unknown error (1 sources)"}, nil},
		{"the pieces of a folder", tree{
			"applicable_patch/" + id + "_2024-01-01_10-00-00/meta.json":               text(t, obj{"task_id": id, "setup_info": obj{}, "task_info": obj{"instance_id": id, "repo": "acme/shop", "base_commit": "abc"}}),
			"applicable_patch/" + id + "_2024-01-01_10-00-00/cost.json":               text(t, obj{"model": "m", "commit": "c", "total_input_tokens": 5, "total_output_tokens": 2, "total_cost": 0.1}),
			"applicable_patch/" + id + "_2024-01-01_10-00-00/extracted_patch_2.diff":  otherFix,
			"applicable_patch/" + id + "_2024-01-01_10-00-00/extracted_patch_10.diff": fix,
			"applicable_patch/" + id + "_2024-01-01_10-00-00/tool_call_sequence.json": `[{"func_name": "search", "arguments": {}, "call_ok": true}]`,
			"applicable_patch/" + id + "_2024-01-01_10-00-00/developer_patch.diff":    otherFix,
			"predictions.json": text(t, []obj{{"instance_id": id, "model_name_or_path": "m", "model_patch": fix}}),
			"report.json":      text(t, obj{"no_generation": []string{}, "generated": []string{id}, "with_logs": []string{id}, "applied": []string{id}, "resolved": []string{id}}),
		}, []string{"acme__shop-7 #1 AutoCodeRover text resolved true: acceptable resolved (7 sources)"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			j := tt.in.read(t, formats.Options{})
			var got, conflicts []string
			for _, a := range j.Attempts {
				got = append(got, brief(a))
			}
			for _, c := range j.Report.Conflicts {
				conflicts = append(conflicts, c.Message)
			}
			sort.Strings(got)
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tt.conflicts, conflicts); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestJoinReportCounts(t *testing.T) {
	t.Parallel()
	j := tree{
		"preds.jsonl":  pred(t, "acme__shop-1", "m", fix) + "broken\n" + pred(t, "acme__shop-2", "m", fix),
		"copy.jsonl":   pred(t, "acme__shop-1", "m", fix),
		"results.json": text(t, obj{"resolved": []string{"acme__shop-1", "acme__shop-9"}, "no_logs": []string{"acme__shop-2"}}),
		"demo.traj":    text(t, obj{"history": []obj{{"role": "user", "content": "x"}}}),
		"rows.jsonl": text(t, obj{"instance_id": "acme__shop-1", "repo": "acme/shop", "base_commit": "abc", "problem_statement": "p"}) + "\n" +
			text(t, obj{"instance_id": "acme__shop-1", "repo": "acme/shop", "base_commit": "def", "problem_statement": "p"}) + "\n",
	}.read(t, formats.Options{Agent: "ours"})
	r := j.Report
	if r.Files != 5 || r.Attempts != 2 || r.Duplicates != 2 || r.Problems != 1 || r.WithoutAttempt != 1 || len(r.Conflicts) != 1 || r.Instances != 2 {
		t.Errorf("%+v", r)
	}
	if d := cmp.Diff(map[string]int{"demonstration, not an attempt": 1}, r.Skipped); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]int{"no_logs": 1}, r.UnknownOutcome); d != "" {
		t.Error(d)
	}
	for _, a := range j.Attempts {
		if a.Trace.Agent != "ours" {
			t.Errorf("agent %q", a.Trace.Agent)
		}
		if want := map[string]string{"acme__shop-1": "abc", "acme__shop-2": ""}[a.Trace.InstanceID]; a.Base != want {
			t.Errorf("%s starts from %q, want %q", a.Trace.InstanceID, a.Base, want)
		}
	}
}

// TestSecondPass fetches texts by Ref: kept in the first pass or fetched in a
// second one, they are the same; keys do not change from import to import.
func TestSecondPass(t *testing.T) {
	t.Parallel()
	in := tree{
		"trajs/acme__shop-7.traj": traj(t, "acme__shop-7", fix),
		"preds.jsonl":             pred(t, "acme__shop-7", "bot", fix) + pred(t, "acme__shop-8", "bot", otherFix),
	}
	kept := in.read(t, formats.Options{KeepPatches: true, KeepSummaries: true, KeepSteps: true})
	bare := in.read(t, formats.Options{})
	needs := bare.Needs()
	got := map[string]*trace.Trace{}
	at := func(a *formats.Attempt) *trace.Trace {
		k := a.Key()
		if got[k] == nil {
			c := a.Trace
			got[k] = &c
		}
		return got[k]
	}
	for p, content := range in {
		f, _ := formats.Sniff(p, []byte(content))
		_, err := formats.Read(f, strings.NewReader(content), formats.Source{Path: p}, func(r formats.Record) error {
			take := func(ref formats.Ref, patch, summary string, step *trace.Step) {
				for _, n := range needs[ref] {
					tr := at(n.Attempt)
					if n.Patch && step == nil {
						tr.Patch = patch
					}
					if n.Summary && step == nil {
						tr.Summary = summary
					}
					if n.Step && step != nil {
						tr.Steps = append(tr.Steps, *step)
					}
				}
			}
			switch v := r.(type) {
			case *formats.Step:
				take(v.Of, "", "", &v.Step)
			case *formats.Trajectory:
				take(v.Ref, v.Trace.Patch, v.Trace.Summary, nil)
			case *formats.Prediction:
				take(v.Ref, v.Patch, "", nil)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range kept.Attempts {
		if d := cmp.Diff(&a.Trace, got[a.Key()]); d != "" {
			t.Error(d)
		}
	}
	if len(kept.Attempts) != 2 || len(got) != 2 {
		t.Errorf("%d and %d attempts", len(kept.Attempts), len(got))
	}
}
