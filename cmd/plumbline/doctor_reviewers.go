package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"

	"plumbline/models"
	"plumbline/runner/reviewer"
)

// reviewerChecks asks the endpoints of all reviewers' newest versions for their
// list of models, each endpoint and key once. Keys are read where their
// references point and never shown.
func reviewerChecks(ctx context.Context, g *Globals) []check {
	if g.databaseThere() != nil {
		return nil // no database yet, so no reviewer
	}
	s, err := g.openExisting(ctx, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil // the schema's check has told why
	}
	defer s.Close()
	specs, err := endpoints(ctx, s)
	if err != nil {
		return []check{{"reviewers", "list", checkWarning, err.Error(), "", ""}}
	}
	if len(specs) == 0 {
		return []check{{"reviewers", "endpoints", checkOK, "no reviewer with an endpoint is configured", "", ""}}
	}
	deps := reviewer.NewDeps()
	defer deps.Close()
	out := make([]check, len(specs))
	var wg sync.WaitGroup
	for i, e := range specs {
		wg.Go(func() { out[i] = endpointCheck(ctx, e, deps) })
	}
	wg.Wait()
	return out
}

// namedSpec is an endpoint and the first reviewer that uses it.
type namedSpec struct {
	name string
	spec reviewer.Spec
}

func endpoints(ctx context.Context, s *models.Store) ([]namedSpec, error) {
	v := models.LocalAdmin()
	projects, err := s.Projects(ctx, v)
	if err != nil {
		return nil, err
	}
	type endpoint struct{ url, key string }
	seen := map[endpoint]bool{}
	var out []namedSpec
	for _, p := range projects {
		known, err := s.Reviewers(ctx, v, p.ID)
		if err != nil {
			return nil, err
		}
		for _, r := range known {
			var spec reviewer.Spec
			if err := json.Unmarshal([]byte(r.Version.Spec), &spec); err != nil {
				return nil, fmt.Errorf("read the settings of reviewer %s: %w", r.Reviewer.Name, err)
			}
			spec = spec.Filled()
			at := endpoint{spec.BaseURL, string(spec.Key)}
			if spec.BaseURL == "" || seen[at] {
				continue
			}
			seen[at] = true
			out = append(out, namedSpec{r.Reviewer.Name, spec})
		}
	}
	return out, nil
}

func endpointCheck(ctx context.Context, e namedSpec, deps reviewer.Deps) check {
	c := check{Group: "reviewers", Name: e.name, Status: checkOK}
	at := e.spec.Redacted().BaseURL
	key := "without a key"
	if e.spec.Key != "" {
		key = "with the key of " + e.spec.Key.String()
	}
	if _, err := reviewer.New(e.spec, deps); err != nil {
		c.Status, c.Detail, c.For, c.Get = checkWarning, err.Error(), "asking this reviewer", "set the variable, or write the file, that the key reference names"
		return c
	}
	if err := reviewer.Reach(ctx, e.spec, deps); err != nil {
		c.Status, c.Detail = checkWarning, fmt.Sprintf("%s, %s: %v", at, key, err)
		c.For, c.Get = "asking this reviewer", "check the address and the key, and whether the server is up"
		return c
	}
	c.Detail = fmt.Sprintf("%s answers, %s", at, key)
	return c
}
