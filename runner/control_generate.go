package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"plumbline/experiments/control"
	"plumbline/experiments/control/rewrite"
	"plumbline/experiments/patch"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner/reviewer"
	"plumbline/runner/workspace"
)

// regenerate comes to the next candidate of a task: one that is stored already, or
// one that the generator writes now. Policies share the k-th candidate of a task,
// which is a draw from issue and base alone, whatever a policy has seen before it.
func (c *controlRun) regenerate(ctx context.Context, w *models.EpisodeWork, out *performed) error {
	next := out.candidate + 1
	writer := c.config.Generator
	if writer == nil {
		out.source = SourceRecorded
		if next >= len(w.Candidates) {
			out.end, out.why = control.Censored, fmt.Sprintf("only %d candidates were recorded", len(w.Candidates))
		}
		return nil
	}
	out.source = SourceLive
	if next < len(w.Candidates) {
		out.note = "written before in this experiment"
		return nil
	}
	row, err := c.store.Candidate(ctx, w.Task.ID, next)
	switch {
	case err == nil:
		out.note = "written before in this experiment"
	case !errors.Is(err, models.ErrNotFound):
		return err
	default:
		if row, err = c.write(ctx, w, next, out); err != nil || out.open || out.end != "" {
			return err
		}
	}
	w.Candidates = append(w.Candidates, row)
	return nil
}

// write asks the generator for candidate next and stores what came of it.
func (c *controlRun) write(ctx context.Context, w *models.EpisodeWork, next int, out *performed) (models.TraceRow, error) {
	var row models.TraceRow
	in, err := c.store.LoadEvidenceInput(ctx, w.Candidates[0].ID, false)
	if err != nil {
		return row, err
	}
	prompt, files, err := c.rewritePrompt(ctx, in, w)
	if err != nil {
		out.trouble(err.Error(), true)
		return row, nil
	}
	writer, err := c.writer()
	if err != nil {
		out.trouble(err.Error(), true)
		return row, nil
	}
	if spent, err := c.spend(ctx, 1); err != nil || spent {
		if err == nil {
			out.open = true
			c.stop()
			err = c.store.HaltExperiment(ctx, c.work.Experiment.ID)
		}
		return row, err
	}
	defer c.unspend(1)
	prompt.Topic, prompt.Index, prompt.Seed = w.Task.InstanceID+"/"+w.Task.TaskGroup+"/patch", next-1, c.work.Experiment.Seed
	done, err := writer.Complete(reviewer.WithGate(ctx, c.gate), prompt)
	if err != nil {
		if e := asReviewerError(err); e.Class == reviewer.ClassCanceled {
			out.open = true
		} else {
			out.trouble(string(e.Class)+": "+e.Error(), true)
		}
		return row, nil
	}
	diff, why := rewrite.Parse(done.Text, files)
	if why != "" {
		out.note = "candidate without a patch: " + why
	}
	ans := done.Answer
	model := ans.Model
	if model == "" {
		model = c.config.Generator.Model
	}
	made := trace.Trace{InstanceID: in.Instance.ID, Agent: "plumbline, " + c.config.Generator.Name, Model: model, Patch: diff, PatchState: patch.State(diff), Summary: why}
	took := ans.Latency.Round(time.Millisecond)
	made.Usage = trace.Usage{CostUSD: ans.Billed(), InputTokens: ans.Usage.PromptTokens, OutputTokens: ans.Usage.CompletionTokens, Duration: &took}
	return c.store.AddCandidate(ctx, c.config.Generator.DatasetID, in.Instance, traceInput(made), models.ControlGeneration{
		TaskID: w.Task.ID, Idx: next, Generator: c.config.Generator.Name, Model: model, Why: why, Prompt: prompt.Messages.System + "\n\n" + prompt.Messages.User, Reply: done.Text,
		InputTokens: ans.Usage.PromptTokens, OutputTokens: ans.Usage.CompletionTokens, CostUSD: ans.Billed(), PriceVersion: ans.PriceVersion, Cached: ans.Cached,
		RequestSHA256: ans.RequestHash, LatencyMS: ans.Latency.Milliseconds(),
	})
}

// trouble ends an episode in error; resuming tries again.
func (p *performed) trouble(why string, failed bool) {
	p.end, p.failed, p.why = control.Unreplayable, failed, why
}

func (c *controlRun) writer() (reviewer.Completer, error) {
	var spec reviewer.Spec
	if err := json.Unmarshal(c.config.Generator.Spec, &spec); err != nil {
		return nil, fmt.Errorf("read the settings of the generator: %w", err)
	}
	return reviewer.NewCompleter(spec, minPatchTokens, c.deps)
}

// minPatchTokens is what a generator may write at least: whole files are long.
const minPatchTokens = 16_384

// rewritePrompt shows the generator the issue and files of the base.
func (c *controlRun) rewritePrompt(ctx context.Context, in models.EvidenceInput, w *models.EpisodeWork) (reviewer.Prompt, []rewrite.File, error) {
	if c.checks == nil {
		return reviewer.Prompt{}, nil, errors.New("this worker is not set up with base trees")
	}
	base, err := c.checks.Base(ctx, in.Instance)
	if err != nil {
		return reviewer.Prompt{}, nil, err
	}
	all, err := shownFiles(base)
	if err != nil {
		return reviewer.Prompt{}, nil, err
	}
	var touched []string
	d := patch.Parse(in.Trace.Patch)
	for i := range d.Files {
		touched = append(touched, d.Files[i].Path())
	}
	ask := rewrite.Input{Language: in.Instance.Language, Issue: in.Instance.Issue}
	ask.Files, ask.Left = rewrite.Choose(all, ask.Issue, touched, rewrite.DefaultBudget)
	m, err := rewrite.Prompt(ask, c.config.Generator.Prompt)
	return reviewer.Prompt{Messages: m}, ask.Files, err
}

// maxShownFile bounds the files that are read for a prompt.
const maxShownFile = 200 << 10

// shownFiles reads the files of a base that may be shown.
func shownFiles(base *workspace.Base) ([]rewrite.File, error) {
	var out []rewrite.File
	err := filepath.WalkDir(base.Dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".git") {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxShownFile {
			return err
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(base.Dir, name)
		out = append(out, rewrite.File{Path: filepath.ToSlash(rel), Text: string(raw)})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the base tree: %w", err)
	}
	return out, nil
}
