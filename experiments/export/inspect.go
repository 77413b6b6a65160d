package export

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
	"time"
)

// An Inspect log, version 2, as one JSON document: a sample is a trace in one
// epoch, an epoch is a vote index, a scorer is an arm. The value of a score is the
// verdict; all else that is known of the vote is in the metadata of its score, so
// that the log reads back as the same votes. Keys stand in the order in which
// Inspect writes them, so that a reader of headers need not read the samples.

// InspectHead is what stands before the samples.
type InspectHead struct {
	Started  bool // still running
	Task     string
	RunID    string
	Created  time.Time
	Finished time.Time // zero when it has not
	Epochs   int
	Dataset  string
	Samples  int // traces
	Version  string
	Scorers  []InspectScorer
}

// InspectScorer is an arm with its figures.
type InspectScorer struct {
	Name     string
	Model    string
	Scored   int
	Unscored int
	Metrics  []InspectMetric
}

// InspectMetric is a rate that is defined.
type InspectMetric struct {
	Name  string
	Value float64
	K, N  int
	Lo    *float64 // Wilson, 95%
	Hi    *float64
}

// InspectSample is a trace with the votes of one index.
type InspectSample struct {
	ID     string // unique among traces
	Epoch  int    // from 1
	Input  string
	Target string
	Trace  map[string]any
	Votes  []Vote // one an arm
	Names  []string
}

// Inspect writes a log.
type Inspect struct {
	out *bufio.Writer
	enc *json.Encoder
	n   int
}

type dict = map[string]any

// NewInspect writes the head of a log.
func NewInspect(w io.Writer, h InspectHead) (*Inspect, error) {
	x := &Inspect{out: bufio.NewWriterSize(w, 64<<10)}
	x.enc = json.NewEncoder(x.out)
	x.enc.SetEscapeHTML(false)
	status := "success"
	if h.Started {
		status = "started"
	}
	scorers, results := make([]dict, 0, len(h.Scorers)), make([]dict, 0, len(h.Scorers))
	for _, s := range h.Scorers {
		scorers = append(scorers, dict{"name": s.Name})
		results = append(results, s.result())
	}
	stats := dict{"started_at": stamp(h.Created), "completed_at": stamp(h.Finished), "model_usage": dict{}}
	head := []struct {
		key   string
		value any
	}{
		{"version", 2}, {"status", status},
		{"eval", dict{
			"eval_id": h.RunID, "run_id": h.RunID, "created": stamp(h.Created), "task": h.Task, "task_id": h.RunID, "task_version": 0, "task_args": dict{},
			"dataset": dict{"name": h.Dataset, "samples": h.Samples}, "model": "plumbline/review", "model_args": dict{},
			"config": dict{"epochs": h.Epochs}, "packages": dict{"plumbline": h.Version}, "metadata": dict{"made_by": "plumbline"}, "scorers": scorers,
		}},
		{"plan", dict{"name": "plan", "steps": []any{}, "config": dict{}}},
		{"results", dict{"total_samples": h.Samples * h.Epochs, "completed_samples": h.Samples * h.Epochs, "scores": results}},
		{"stats", stats},
	}
	for i, e := range head {
		mark := ","
		if i == 0 {
			mark = "{"
		}
		if err := x.key(mark, e.key, e.value); err != nil {
			return nil, err
		}
	}
	_, err := x.out.WriteString(`,"samples":[`)
	return x, failed(err)
}

func (s InspectScorer) result() dict {
	metrics := dict{}
	for _, m := range s.Metrics {
		about := dict{"k": m.K, "n": m.N}
		if m.Lo != nil && m.Hi != nil {
			about["wilson_lo"], about["wilson_hi"] = *m.Lo, *m.Hi
		}
		metrics[m.Name] = dict{"name": m.Name, "value": m.Value, "params": dict{}, "metadata": about}
	}
	return dict{
		"name": s.Name, "scorer": s.Name, "scored_samples": s.Scored, "unscored_samples": s.Unscored, "params": dict{}, "metrics": metrics,
		"metadata": dict{"reviewer_model": s.Model},
	}
}

// Put writes a sample.
func (x *Inspect) Put(s InspectSample) error {
	scores := make(dict, len(s.Votes))
	for i, v := range s.Votes {
		scores[s.Names[i]] = score(v)
	}
	mark := ","
	if x.n == 0 {
		mark = ""
	}
	x.n++
	if _, err := x.out.WriteString(mark); err != nil {
		return failed(err)
	}
	return failed(x.enc.Encode(dict{
		"id": plain(s.ID), "epoch": s.Epoch, "input": plain(s.Input), "target": s.Target, "messages": []any{},
		"output":   dict{"model": "plumbline/review", "choices": []any{}},
		"metadata": s.Trace, "scores": scores, "uuid": plain(s.ID) + " " + strconv.Itoa(s.Epoch),
	}))
}

// score has the columns of a vote but those that a score has itself.
func score(v Vote) dict {
	row := dict{}
	for name, value := range fields(&v) {
		row[name] = value
	}
	delete(row, "verdict")
	delete(row, "rationale")
	return dict{"value": v.Verdict, "explanation": plain(v.Rationale), "metadata": row}
}

// Close ends the document.
func (x *Inspect) Close() error {
	if _, err := x.out.WriteString("]}\n"); err != nil {
		return failed(err)
	}
	return failed(x.out.Flush())
}

func (x *Inspect) key(mark, name string, value any) error {
	if _, err := x.out.WriteString(mark + `"` + name + `":`); err != nil {
		return failed(err)
	}
	return failed(x.enc.Encode(value))
}

// stamp writes a time with its offset; an unknown one is empty.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.999999+00:00")
}
