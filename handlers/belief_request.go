package handlers

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"plumbline/runner"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// beliefRequest is what the address of a belief page says.
type beliefRequest struct {
	path   string
	q      url.Values
	view   pages.BeliefView
	choice runner.BeliefChoice
	// byGenerator makes a task of the attempts of one generator at an instance.
	byGenerator bool
	policy      string // of a belief path
	refits      int
	simulate    int
	bad         fields // by the name of the parameter
}

const (
	// usualRefits are the resamples behind the intervals of exact values.
	usualRefits  = 100
	simulatedMap = 500
	maxNumber    = 1e12
)

func beliefRequestOf(path string, q url.Values) beliefRequest {
	r := beliefRequest{path: path, q: q, view: pages.ParseBeliefView(q.Get("view")), bad: fields{}, policy: q.Get("policy")}
	c := &r.choice
	if q.Get("chosen") != "" || len(q["critic"]) > 0 {
		c.Critics = append([]string{}, q["critic"]...)
	}
	r.byGenerator = q.Get("by") == "generator"
	c.Group = q.Get("group")
	c.FirstOnly = q.Get("scope") == "first"
	c.Pool, c.Joint, c.Temper = q.Get("pool") != "", q.Get("joint") != "", q.Get("temper") != ""
	c.Fold = runner.FoldRule(r.one("fold", "", string(runner.FiveFolds), string(runner.LeaveOneOut), string(runner.BySplit)))
	c.Kernel = runner.KernelRule(r.one("kernel", "", string(runner.MeasuredKernel), string(runner.FreshKernel), string(runner.GivenKernel)))
	if c.Kernel == runner.GivenKernel {
		if x := r.number("p01"); x != nil {
			c.Given.Fix = *x
		}
		if x := r.number("p10"); x != nil {
			c.Given.Break = *x
		}
	}
	if x := r.count("g", 0, 20); x != nil {
		c.Regenerations = x
	}
	if x := r.count("h", 0, 64); x != nil {
		c.Actions = *x
	}
	c.Continue = q.Get("continue") != ""
	c.ShipLoss = r.number("ship")
	c.Costs = r.costs()
	if x := r.count("refits", 0, 500); x != nil {
		r.refits = *x
	} else {
		r.refits = usualRefits
	}
	if q.Get("sim") != "" {
		r.simulate = simulatedMap
	}
	return r
}

func (r *beliefRequest) costs() runner.CostChoice {
	c := runner.CostChoice{
		Rule: runner.CostRule(r.one("costs", "", string(runner.SlowCosts), string(runner.FastCosts), string(runner.DraftCosts), string(runner.OwnCosts), string(runner.MoneyCosts))),
	}
	if c.Rule == "" {
		c.Rule = runner.SlowCosts
	}
	if c.Rule != runner.OwnCosts && c.Rule != runner.MoneyCosts {
		return c
	}
	c.Reward = r.number("r")
	c.Worth, c.Second = r.number("worth"), r.number("second")
	for prefix, into := range map[string]*map[string]float64{"c_": &c.Units, "m_": &c.Money, "s_": &c.Seconds} {
		*into = map[string]float64{}
		for name := range r.q {
			key, ok := strings.CutPrefix(name, prefix)
			if !ok {
				continue
			}
			if x := r.number(name); x != nil {
				(*into)[costKey(key)] = *x
			}
		}
	}
	return c
}

// The short names of verify and regenerate in addresses.
func costKey(key string) string {
	switch key {
	case "ver":
		return runner.VerifyCost
	case "gen":
		return runner.RegenerateCost
	}
	return key
}

func costParam(key string) string {
	switch key {
	case runner.VerifyCost:
		return "ver"
	case runner.RegenerateCost:
		return "gen"
	}
	return key
}

// number reads a parameter: nil if it is not given, and if it is no number that
// can be calculated with, which is said.
func (r *beliefRequest) number(name string) *float64 {
	s := strings.TrimSpace(r.q.Get(name))
	if s == "" {
		return nil
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", "."), 64)
	switch {
	case err != nil:
		r.bad[name] = "write a number, such as 30 or 0.5"
	case math.IsNaN(x) || math.IsInf(x, 0):
		r.bad[name] = "this is not a finite number"
	case math.Abs(x) > maxNumber:
		r.bad[name] = "this is too large"
	case x < 0:
		r.bad[name] = "it must not be negative"
	case (name == "p01" || name == "p10") && x > 1:
		r.bad[name] = "a probability lies between 0 and 1"
	default:
		return &x
	}
	return nil
}

func (r *beliefRequest) count(name string, lo, hi int) *int {
	s := strings.TrimSpace(r.q.Get(name))
	if s == "" {
		return nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < lo || n > hi {
		r.bad[name] = "choose a whole number from " + strconv.Itoa(lo) + " to " + strconv.Itoa(hi)
		return nil
	}
	return &n
}

// one reads a parameter that has few values; the first is taken for a missing one.
func (r *beliefRequest) one(name string, values ...string) string {
	s := r.q.Get(name)
	if slices.Contains(values, s) {
		return s
	}
	r.bad[name] = "there is no choice " + strconv.Quote(components.FirstLine(s, 40))
	return values[0]
}

// href is the address with some parameters changed; an empty value drops one.
func (r *beliefRequest) href(pairs ...string) string { return r.at(r.path, pairs...) }

func (r *beliefRequest) at(path string, pairs ...string) string {
	q := url.Values{}
	for k, v := range r.q {
		q[k] = v
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			q.Del(pairs[i])
		} else {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// keep lists the parameters of the address for a form, without some.
func (r *beliefRequest) keep(without func(name string) bool) []components.Pair {
	var out []components.Pair
	names := make([]string, 0, len(r.q))
	for name := range r.q {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if without(name) {
			continue
		}
		for _, v := range r.q[name] {
			out = append(out, components.Pair{Name: name, Value: v})
		}
	}
	return out
}
