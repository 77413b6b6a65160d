package runner

import (
	"fmt"
	"slices"

	"plumbline/experiments/belief"
	"plumbline/experiments/cascade"
	"plumbline/experiments/control"
	"plumbline/models"
)

// check reports a kind that a program answers and no reviewer.
func (k CriticKind) check() bool {
	return k == CriticStatic || k == CriticTest || k == CriticPublic
}

// ranChecks is what checks found out about the candidates of an experiment.
type ranChecks struct {
	configs []checkConfig // newest first
	public  int           // candidates whose tests are known
	suite   control.Spent // of a run of the official tests
}

// checkConfig is one configuration of checks with what it observed, by trace.
type checkConfig struct {
	sha256       string
	set          map[string]models.CheckedTrace
	static, test control.Spent
	hasStatic    bool
	hasTest      bool
}

// checkConfigs is how many configurations of checks are told apart as critics.
const checkConfigs = 3

func checksOf(all []models.CheckedTrace, traces []models.CriticTrace, suiteMS float64, suites int) ranChecks {
	var out ranChecks
	for _, c := range slices.Backward(all) {
		at := slices.IndexFunc(out.configs, func(k checkConfig) bool { return k.sha256 == c.Set.ConfigSHA256 })
		if at < 0 {
			if len(out.configs) == checkConfigs {
				continue
			}
			at = len(out.configs)
			out.configs = append(out.configs, checkConfig{sha256: c.Set.ConfigSHA256, set: map[string]models.CheckedTrace{}})
		}
		k := &out.configs[at]
		k.set[c.Set.TraceID] = c
		k.hasStatic = k.hasStatic || c.Set.StaticRan != nil
		k.hasTest = k.hasTest || len(c.Tests) > 0
	}
	for i := range out.configs {
		out.configs[i].measure()
	}
	for _, t := range traces {
		if t.TestsKnown && t.P2PAll > 0 {
			out.public++
		}
	}
	if suites > 0 {
		seconds := suiteMS / 1000
		out.suite = control.Spent{Money: new(float64), Seconds: &seconds}
	}
	return out
}

// measure is the mean of what a check took. Money is unknown if it is for any
// reply of a generator.
func (k *checkConfig) measure() {
	var static, test float64
	money, known := 0.0, true
	nStatic, nTest := 0, 0
	for _, c := range k.set {
		if c.Set.StaticRan != nil {
			nStatic, static = nStatic+1, static+float64(c.StaticMS)
		}
		if len(c.Tests) > 0 {
			nTest++
		}
		for _, g := range c.Tests {
			test += float64(g.WallMS + g.LatencyMS)
			if known = known && g.CostUSD != nil; known {
				money += *g.CostUSD
			}
		}
	}
	if nStatic > 0 {
		seconds := static / float64(nStatic) / 1000
		k.static = control.Spent{Money: new(float64), Seconds: &seconds}
	}
	if nTest > 0 {
		seconds := test / float64(nTest) / 1000
		k.test.Seconds = &seconds
		if money /= float64(nTest); known {
			k.test.Money = &money
		}
	}
}

// Names of the checks as critics.
const (
	staticName = "static checks"
	testName   = "generated test"
	publicName = "existing tests"
)

// checkCritics declares the checks that observed at least one candidate. The reader
// chooses them: none is taken by itself, since the arms of a cascade have seen them.
func (r *Recorded) checkCritics(ran ranChecks) {
	add := func(c RecordedCritic) {
		c.Arm = -1
		r.Critics = append(r.Critics, c)
		r.Table.Critics = append(r.Table.Critics, belief.Column{Name: c.Name, Outcomes: 2})
	}
	for i, k := range ran.configs {
		suffix, key := "", ""
		if i > 0 {
			suffix, key = fmt.Sprintf(" #%d", i+1), fmt.Sprintf("-%d", i+1)
		}
		if k.hasStatic {
			add(RecordedCritic{Key: "static" + key, Name: staticName + suffix, Kind: CriticStatic, Checks: k.sha256, Spent: k.static})
		}
		if k.hasTest {
			add(RecordedCritic{Key: "generated" + key, Name: testName + suffix, Kind: CriticTest, Checks: k.sha256, Spent: k.test})
		}
	}
	if ran.public > 0 {
		add(RecordedCritic{Key: "public", Name: publicName, Kind: CriticPublic, Spent: ran.suite})
		r.Notes = append(r.Notes, "“"+publicName+"” are the tests that pass before the change, run on the patched tree. A correct patch passes them by the definition of the label, so that only a fail of them tells much.")
	}
}

// outcome is what a check says of a candidate.
func (r ranChecks) outcome(c RecordedCritic, t models.CriticTrace) belief.Outcome {
	if c.Kind == CriticPublic {
		if !t.TestsKnown || t.P2PAll == 0 {
			return belief.Unrecorded
		}
		return passes(t.P2POK == t.P2PAll)
	}
	at := slices.IndexFunc(r.configs, func(k checkConfig) bool { return k.sha256 == c.Checks })
	if at < 0 {
		return belief.Unrecorded
	}
	set, ok := r.configs[at].set[t.ID]
	if !ok {
		return belief.Unrecorded
	}
	return checkOutcome(c.Kind, set.Set, set.Tests)
}

// checkOutcome reads a stored set as a critic. Static checks fail on a decisive
// finding that the patch caused. A generated test counts if it fails on the base;
// on the patched tree it passes or fails, and one that no longer loads there fails.
// Tools that did not run, and attempts of which none counts, are no usable answer.
// A run under way is not recorded yet.
func checkOutcome(kind CriticKind, set models.CheckSet, tests []models.GeneratedTest) belief.Outcome {
	if kind == CriticStatic {
		switch {
		case set.StaticRan == nil:
			return belief.Unrecorded
		case !*set.StaticRan:
			return belief.Missing
		}
		return passes(set.StaticDecisive == 0)
	}
	for _, g := range tests {
		a := attemptOf(g)
		if !a.Kept() {
			if a.Discard() == "" { // it has not run on the base yet
				return belief.Unrecorded
			}
			continue
		}
		switch a.Patched {
		case cascade.NotRun:
			return belief.Unrecorded
		case cascade.Passed:
			return belief.Pass
		case cascade.FailedTest, cascade.SetUp:
			return belief.Fail
		}
		return belief.Missing
	}
	if len(tests) == 0 {
		return belief.Unrecorded
	}
	return belief.Missing
}

func passes(ok bool) belief.Outcome {
	if ok {
		return belief.Pass
	}
	return belief.Fail
}
