package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"plumbline/experiments/cascade"
	"plumbline/experiments/evidence"
	"plumbline/experiments/findings"
	"plumbline/experiments/patch"
	"plumbline/experiments/review"
	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
	"plumbline/models"
	"plumbline/runner/checks"
	"plumbline/runner/reviewer"
	"plumbline/runner/sandbox"
	"plumbline/runner/workspace"
)

// ReviewRequest asks for one patch to be judged.
type ReviewRequest struct {
	Title    string
	Repo     string // shown only
	Base     string // commit or name, shown only
	Head     string // shown only; empty for a patch from a file
	Issue    string
	Patch    string
	Summary  string // of the author, for evidence forms that show one
	Language string // empty: told by the patch
	Policy   FrozenPolicy
	// Tree gives the base tree; it is called at most once.
	Tree func(context.Context) (*workspace.Base, error)
	// Trouble is what kept the caller from asking in full, such as a base that is
	// not there; then nothing is checked. Nil: there was none.
	Trouble *cascade.Failed
}

// ReviewFormat is the version of a ReviewDocument.
const ReviewFormat = "plumbline-review-1"

// ReviewDocument is everything about a patch that was judged alone.
type ReviewDocument struct {
	Format  string `json:"format"`
	ID      string `json:"id,omitempty"`
	Title   string `json:"title"`
	Repo    string `json:"repository,omitempty"`
	Base    string `json:"base,omitempty"`
	Head    string `json:"head,omitempty"`
	Version string `json:"version"`

	// Verdict is accept, reject or uncertain; "error" when there is none.
	Verdict   string           `json:"verdict"`
	Stage     string           `json:"stage"`
	StageName string           `json:"stage_name"`
	Why       string           `json:"why"`
	Trouble   *cascade.Failed  `json:"trouble,omitempty"`
	Policy    FrozenPolicy     `json:"policy"`
	Change    *cascade.Change  `json:"change,omitempty"`
	Static    *ReviewStatic    `json:"static,omitempty"`
	Tests     []ReviewTest     `json:"generated_tests,omitempty"`
	Votes     []ReviewVote     `json:"votes,omitempty"`
	Evidence  *ReviewEvidence  `json:"evidence,omitempty"`
	Spent     [4]cascade.Spend `json:"spent"` // by stage
	CostUSD   *float64         `json:"cost_usd"`
	CostWhy   string           `json:"cost_unknown,omitempty"`
	Sandbox   string           `json:"sandbox,omitempty"`
	Unsafe    bool             `json:"unsandboxed,omitempty"`
	Simulated bool             `json:"simulated,omitempty"`
	StartedAt time.Time        `json:"started_at"`
	Took      time.Duration    `json:"took_ns"`
	Issue     string           `json:"issue"`
	Patch     string           `json:"patch"`
}

// ReviewStatic is what static tools said.
type ReviewStatic struct {
	cascade.Static
	Tools []ReviewTool       `json:"tools"`
	Found []findings.Finding `json:"caused_findings"`
}

// ReviewTool is one static tool.
type ReviewTool struct {
	Name    string        `json:"name"`
	Version string        `json:"version"`
	Why     string        `json:"no_outcome,omitempty"`
	Wall    time.Duration `json:"wall_ns"`
}

// ReviewTest is one attempt at a test.
type ReviewTest struct {
	Attempt  int             `json:"attempt"`
	Path     string          `json:"path,omitempty"`
	Asserts  string          `json:"asserts,omitempty"`
	Limits   string          `json:"limits,omitempty"`
	Kept     bool            `json:"kept"`
	Discard  cascade.Discard `json:"discarded,omitempty"`
	Base     ReviewRun       `json:"base"`
	Patched  ReviewRun       `json:"patched"`
	Recorded bool            `json:"recorded,omitempty"`
	Source   string          `json:"source,omitempty"`
	Reply    string          `json:"reply,omitempty"`
	Prompt   string          `json:"prompt,omitempty"`
}

// ReviewRun is a test on one tree; an empty result was not run.
type ReviewRun struct {
	Result   cascade.Result `json:"result,omitempty"`
	Headline string         `json:"headline,omitempty"`
	Output   string         `json:"output,omitempty"`
}

// ReviewVote is one vote of the residual reviewer.
type ReviewVote struct {
	Vote      vote.Vote         `json:"vote"`
	Rationale string            `json:"rationale,omitempty"`
	Citations []review.Citation `json:"citations,omitempty"`
	Problem   string            `json:"problem,omitempty"`
}

// ReviewEvidence is the text that the reviewer read.
type ReviewEvidence struct {
	Form   evidence.Form `json:"form"`
	SHA256 string        `json:"sha256"`
	Text   string        `json:"text"`
}

// ReviewOne judges one patch by a policy and keeps nothing. What goes wrong with
// the patch, the base or an endpoint is a document with the verdict "error"; the
// error of this call is of ctx, or of a policy that cannot be run.
func (r *Runner) ReviewOne(ctx context.Context, host *CheckHost, q ReviewRequest) (ReviewDocument, error) {
	if err := q.Policy.check(); err != nil {
		return ReviewDocument{}, err
	}
	started := r.store.Now()
	doc := ReviewDocument{
		Format: ReviewFormat, Title: q.Title, Repo: q.Repo, Base: q.Base, Head: q.Head, Version: r.version, Policy: q.Policy, StartedAt: started,
		Issue: q.Issue, Patch: q.Patch, Verdict: "error",
	}
	one := &reviewOne{Runner: r, request: q, doc: &doc}
	state, end, trail, err := one.play(ctx, host)
	if err != nil {
		return doc, err
	}
	one.fill(state, end, trail)
	doc.Took = r.store.Now().Sub(started)
	return doc, nil
}

// SaveReview keeps a document so that it has a page.
func (r *Runner) SaveReview(ctx context.Context, v models.Viewer, projectID string, doc *ReviewDocument) error {
	raw, err := json.Marshal(doc)
	if err != nil {
		return fmt.Errorf("write the review: %w", err)
	}
	row, err := r.store.SaveSingleReview(ctx, v, models.SingleReview{ProjectID: projectID, Title: doc.Title, Verdict: doc.Verdict, Stage: doc.Stage}, string(raw))
	if err != nil {
		return err
	}
	doc.ID = row.ID
	return nil
}

type reviewOne struct {
	*Runner
	request ReviewRequest
	doc     *ReviewDocument
	bench   *checks.Bench
	spent   cascade.Spend // of votes
}

func (o *reviewOne) play(ctx context.Context, host *CheckHost) (cascade.State, cascade.Action, checks.Trail, error) {
	q, p := o.request, o.request.Policy
	stop := func(f cascade.Failed) (cascade.State, cascade.Action, checks.Trail, error) {
		s := cascade.Start(p.Cascade)
		s.Trouble = &f
		return s, cascade.Next(s), checks.Trail{}, nil
	}
	if q.Trouble != nil {
		return stop(*q.Trouble)
	}
	d := checks.Driver{
		Image: p.Checks.Image, Settings: host.Settings(), Repeats: p.Checks.Repeats, Seed: p.Seed,
		Limits: sandbox.Limits{Wall: time.Duration(p.Checks.TestWallS * float64(time.Second)), Output: 1 << 20},
	}
	if p.runs() {
		if f, err := o.open(ctx, host, &d); f != nil || err != nil {
			if f != nil {
				return stop(*f)
			}
			return cascade.State{}, cascade.Action{}, checks.Trail{}, err
		}
	}
	var err error
	if d.Generator, err = o.generator(p.config()); err != nil {
		return stop(cascade.Failed{Trouble: cascade.GeneratorDown, Detail: err.Error()})
	}
	state := trace.PatchText
	if q.Patch == "" {
		state = trace.PatchEmpty
	} else if s := patch.State(q.Patch); s != trace.PatchText {
		state = s
	}
	t := trace.Trace{InstanceID: q.Title, PatchState: state, Patch: q.Patch, Summary: q.Summary}
	o.bench = d.NewBench("review", t, trace.Instance{ID: q.Title, Language: q.Language, Issue: q.Issue}, q.Issue)
	return o.bench.Play(ctx, p.Cascade, q.Tree, o.votes)
}

// open opens the sandbox of the policy with its static tools.
func (o *reviewOne) open(ctx context.Context, host *CheckHost, d *checks.Driver) (*cascade.Failed, error) {
	spec := o.request.Policy.Checks
	opened, err := host.open(ctx, spec.Sandbox, spec.Image)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return &cascade.Failed{Trouble: cascade.NoSandbox, Detail: err.Error()}, nil
	}
	d.Box, d.Tools = opened.box, slices.Clone(opened.tools)
	for _, t := range spec.Tools {
		tool, err := t.Tool()
		if err != nil {
			return nil, err
		}
		d.Tools = append(d.Tools, tool)
	}
	o.doc.Sandbox, o.doc.Unsafe = d.Box.Name(), !d.Box.Sandboxed()
	return nil, nil
}

// votes renders the evidence and asks the residual reviewer.
func (o *reviewOne) votes(ctx context.Context, t checks.Trail, indices []int) ([]cascade.Voted, *cascade.Failed, error) {
	p := o.request.Policy
	down := func(detail string) ([]cascade.Voted, *cascade.Failed, error) {
		return nil, &cascade.Failed{Trouble: cascade.ReviewerDown, Detail: detail}, nil
	}
	if p.Reviewer == nil {
		return down("the policy has no reviewer")
	}
	in := evidence.From(o.bench.Instance, o.bench.Trace)
	in.Checks = trailEvidence(t)
	ev, err := evidence.Render(in, p.Form, p.Budget)
	if err != nil {
		return nil, &cascade.Failed{Trouble: cascade.CheckFailed, Detail: err.Error()}, nil
	}
	o.doc.Evidence = &ReviewEvidence{Form: ev.Form, SHA256: ev.Hash, Text: ev.Text}
	spec := p.Reviewer.Filled()
	messages, err := review.Prompt(ev, spec.PromptVersion)
	if err != nil {
		return nil, nil, err
	}
	rev, err := reviewer.New(spec, o.deps)
	if err != nil {
		return down(err.Error())
	}
	o.doc.Simulated = spec.Kind == reviewer.KindSimulated
	var out []cascade.Voted
	for _, i := range indices {
		a, err := rev.Ask(ctx, reviewer.Request{TraceID: "review", Form: p.Form, VoteIndex: i, Seed: p.Seed, Messages: messages})
		if err != nil {
			if ctx.Err() != nil {
				return nil, nil, err
			}
			return down(err.Error())
		}
		o.spent = o.spent.Plus(answerSpend(a))
		o.doc.Votes = append(o.doc.Votes, ReviewVote{Vote: a.Reply.Vote, Rationale: a.Reply.Rationale, Citations: a.Reply.Citations, Problem: a.Reply.Problem})
		out = append(out, cascade.Voted{Index: i, Vote: a.Reply.Vote})
	}
	return out, nil, nil
}

func answerSpend(a reviewer.Answer) cascade.Spend {
	s := callSpend(a.Usage.PromptTokens, a.Usage.CompletionTokens, a.Billed())
	if a.Simulated || a.Cached || a.Recorded {
		s.Uncounted = 0
	}
	s.Calls = 1
	return s
}

// trailEvidence is a trail as the checked form shows it.
func trailEvidence(t checks.Trail) []evidence.Check {
	set := models.SetChecks{}
	if t.Static != nil {
		set.Findings = staticRows(*t.Static).Findings
	}
	for i, a := range t.Attempts {
		row, text := testRows("", i+1, "", a.Attempt)
		if a.Base != nil {
			row.BaseResult = string(a.Base.Result)
		}
		if a.Patched != nil {
			row.PatchedResult, text.PatchedOutput = string(a.Patched.Result), a.Patched.Output
		}
		set.Tests, set.Texts = append(set.Tests, row), append(set.Texts, text)
	}
	return checkEvidence(set, func(text string) string { return text })
}

// fill writes the end and the trail into the document.
func (o *reviewOne) fill(s cascade.State, end cascade.Action, t checks.Trail) {
	d := o.doc
	d.Stage, d.StageName, d.Change = end.Stage.Key(), end.Stage.Name(), t.Change
	switch {
	case end.Trouble != nil:
		d.Trouble, d.Why = end.Trouble, string(end.Trouble.Trouble)
	case end.Verdict.Decision == vote.Unparseable:
		d.Why = "the replies of the reviewer cannot be read"
	default:
		d.Verdict, d.Why = string(end.Verdict.Decision), string(end.Verdict.Why)
	}
	if t.Static != nil {
		d.Static = &ReviewStatic{Static: t.Static.Outcome, Tools: []ReviewTool{}, Found: []findings.Finding{}}
		for _, x := range t.Static.Tools {
			d.Static.Tools = append(d.Static.Tools, ReviewTool{Name: x.Tool, Version: x.Version, Why: x.Why, Wall: x.Wall})
			d.Static.Found = append(d.Static.Found, x.Attribution.Caused...)
		}
		d.Spent[cascade.StageStatic] = t.Static.Spent
	}
	for i, a := range t.Attempts {
		x := ReviewTest{
			Attempt: i + 1, Path: a.Test.Path, Asserts: a.Test.Asserts, Limits: a.Test.Limits, Recorded: a.Generation.Recorded,
			Source: a.Test.Source, Reply: a.Generation.Reply, Prompt: a.Generation.Prompt,
		}
		if i < len(s.Attempts) {
			x.Kept, x.Discard = s.Attempts[i].Kept(), s.Attempts[i].Discard()
		}
		sp := &d.Spent[cascade.StageTest]
		if a.Generation.Prompt != "" && !a.Generation.Recorded {
			*sp = sp.Plus(answerSpend(a.Generation.Answer))
		}
		for _, side := range []struct {
			run *checks.GeneratedRun
			to  *ReviewRun
		}{{a.Base, &x.Base}, {a.Patched, &x.Patched}} {
			if side.run != nil {
				*side.to = ReviewRun{Result: side.run.Result, Headline: side.run.Headline, Output: side.run.Output}
				sp.Runs, sp.Sandbox = sp.Runs+side.run.Runs, sp.Sandbox+side.run.Wall
			}
		}
		d.Tests = append(d.Tests, x)
	}
	d.Spent[cascade.StageResidual] = o.spent
	var total cascade.Spend
	for _, x := range d.Spent {
		total = total.Plus(x)
	}
	d.CostUSD, d.CostWhy = total.CostUSD()
}
