package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"plumbline/experiments/evidence"
	"plumbline/models"
	"plumbline/runner"
)

// readPolicy finds what --policy names: nothing for the default, a file, or the id
// of a freeze or of a cascade experiment.
func readPolicy(ctx context.Context, a *app, v models.Viewer, name string, arm int) (runner.FrozenPolicy, error) {
	if name == "" {
		return runner.DefaultPolicy(), nil
	}
	raw, err := os.ReadFile(name)
	switch {
	case err == nil:
		return policyOfFile(ctx, a, v, raw, arm)
	case !errors.Is(err, os.ErrNotExist):
		return runner.FrozenPolicy{}, fmt.Errorf("read the policy: %w", err)
	}
	if raw, err = a.store.FreezeDocument(ctx, v, name); err == nil {
		return a.runner.ThawPolicy(ctx, v, raw, arm)
	}
	if !errors.Is(err, models.ErrNotFound) {
		return runner.FrozenPolicy{}, err
	}
	p, err := a.runner.FreezePolicy(ctx, v, name, arm)
	if errors.Is(err, models.ErrNotFound) {
		return p, fmt.Errorf("there is no policy %q: neither a file nor the id of a freeze or experiment", name)
	}
	return p, err
}

// policyOfFile tells a policy from a manifest of a freeze by their own words.
func policyOfFile(ctx context.Context, a *app, v models.Viewer, raw []byte, arm int) (runner.FrozenPolicy, error) {
	var kind struct {
		Manifest json.RawMessage `json:"manifest"`
	}
	if err := json.Unmarshal(raw, &kind); err == nil && len(kind.Manifest) > 0 {
		return a.runner.ThawPolicy(ctx, v, raw, arm)
	}
	return runner.ParsePolicy(raw)
}

type policyCmd struct {
	From      string `help:"Manifest of a freeze, or the id of a freeze or of a cascade experiment, whose policy is written." placeholder:"FROZEN" xor:"from"`
	Arm       int    `help:"Arm of the freeze or experiment, from 0." default:"0"`
	Preset    string `help:"Policy that was not measured here: static, recommended, evaluated or review." placeholder:"NAME" xor:"from"`
	Reviewer  string `help:"With --preset: residual reviewer, by its name. Without one, what no check decides is uncertain." placeholder:"NAME"`
	Generator string `help:"With --preset: reviewer whose endpoint writes tests, by its name. Without one, no test is generated." placeholder:"NAME"`
	Form      string `help:"With --preset: evidence form that the reviewer is shown." default:"checked"`
	Votes     int    `help:"With --preset: votes of the reviewer." default:"5"`
	Budget    int    `help:"With --preset: tokens of evidence at most; 0 for no limit." default:"0"`
	Seed      int64  `help:"With --preset: seed." default:"0"`
	Sandbox   string `help:"With --preset: sandbox of the checks, see docs/sandbox.md; none protects nothing." default:"auto"`
	Image     string `help:"With --preset: image for docker, podman and apptainer." placeholder:"NAME"`
	Project   string `help:"Project, by its short name." default:"default"`
	Output    string `help:"File that the policy is written to instead of standard output." type:"path" placeholder:"FILE"`
}

// Run writes a frozen policy as a file that plumbline review takes anywhere.
func (c *policyCmd) Run(ctx context.Context, g *Globals, std streams) (err error) {
	a, err := newApp(ctx, g, std)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	v := models.LocalAdmin()
	p, err := c.policy(ctx, a, v)
	if err != nil {
		return err
	}
	raw, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return fmt.Errorf("write the policy: %w", err)
	}
	raw = append(raw, '\n')
	if c.Output != "" {
		if err := os.WriteFile(c.Output, raw, 0o644); err != nil {
			return fmt.Errorf("write the policy: %w", err)
		}
		fmt.Fprintf(std.err, "Policy %q, sha256 %s.\n", p.Name, p.SHA256)
		return nil
	}
	_, err = io.WriteString(std.out, string(raw))
	return err
}

func (c *policyCmd) policy(ctx context.Context, a *app, v models.Viewer) (runner.FrozenPolicy, error) {
	switch {
	case c.From != "":
		return readPolicy(ctx, a, v, c.From, c.Arm)
	case c.Preset == "":
		return runner.FrozenPolicy{}, errors.New("say which policy: --from FROZEN or --preset NAME")
	}
	form, err := evidence.ParseForm(strings.TrimSpace(c.Form))
	if err != nil {
		return runner.FrozenPolicy{}, err
	}
	project, err := a.store.EnsureProject(ctx, c.Project, c.Project)
	if err != nil {
		return runner.FrozenPolicy{}, err
	}
	return a.runner.NewPolicy(ctx, v, project.ID, runner.PolicyDraft{
		Preset: c.Preset, Reviewer: c.Reviewer, Generator: c.Generator, Form: form, Votes: c.Votes, Budget: c.Budget, Seed: c.Seed, Sandbox: c.Sandbox, Image: c.Image,
	})
}
