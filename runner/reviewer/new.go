package reviewer

import (
	"errors"
	"fmt"
	"strings"
)

// New builds the reviewer of a spec. Reviewers of one endpoint and key share their
// limiter through deps. The error names a field of the spec, or the key that cannot
// be read; it never quotes a key.
func New(spec Spec, deps Deps) (Reviewer, error) {
	if deps.Client == nil || deps.Limits == nil || deps.refused == nil {
		return nil, errors.New("build reviewer: dependencies must come from NewDeps")
	}
	spec = spec.Filled()
	if bad := spec.Validate(); len(bad) > 0 {
		return nil, fmt.Errorf("build reviewer: %s %s", bad[0].Field, bad[0].Message)
	}
	r, err := build(spec, deps)
	if err != nil {
		return nil, err
	}
	if deps.Cache != nil && (spec.Kind == KindOpenAI || spec.Kind == KindAnthropic) {
		return cached{r, deps.Cache, spec}, nil
	}
	return r, nil
}

func build(spec Spec, deps Deps) (Reviewer, error) {
	switch spec.Kind {
	case KindSimulated:
		return simulated{spec, deps.sleep}, nil
	case KindReplay:
		if deps.Record == nil {
			return nil, errors.New("build reviewer: there are no recorded votes to replay")
		}
		return replay{spec, deps.Record}, nil
	}
	key, err := spec.Key.resolve(deps.Env, deps.ReadFile)
	if err != nil {
		return nil, fmt.Errorf("build reviewer: %w", err)
	}
	e := &endpoint{
		spec: spec, key: key, deps: deps, limiter: deps.Limits.get(endpointKey(spec)),
		learned: endpointKey(spec) + "\x00" + spec.Model,
	}
	if spec.Kind == KindAnthropic {
		e.proto, e.url = anthropic{}, strings.TrimSuffix(spec.BaseURL, "/v1")+"/v1/messages"
	} else {
		e.proto, e.url = openAI{}, spec.BaseURL+"/chat/completions"
	}
	return e, nil
}
