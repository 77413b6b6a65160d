package control

// Policy decides as data. Act and Decide agree on the action, which is always
// one that Model().Allowed permits; Act is the quick way without explanation.
// Policies are immutable and safe for concurrent use; the model they return is
// theirs and must not be changed.
type Policy interface {
	Name() string
	Model() *Model
	Act(State) Action
	Decide(State) Decision
}

// Decision is an action with its reasons.
type Decision struct {
	Action Action `json:"-"`
	Name   string `json:"action"`
	// Values are those of the available actions in the order of ties, for the
	// policies that compute them; a fixed rule has none.
	Values []ActionValue `json:"values"`
	// Thresholds of the one-step problem with this policy's model.
	Thresholds Thresholds `json:"thresholds"`
	// Information is what each unused critic is worth one step ahead.
	Information []Information `json:"information"`
	// Perfect is what knowing the truth would be worth: the bound of all of them.
	Perfect float64 `json:"perfect_information"`
	// Ships: the stop hands over the candidate unverified.
	Ships  bool   `json:"ships,omitempty"`
	Reason string `json:"reason"`
}

// ActionValue is the value of an action.
type ActionValue struct {
	Action Action  `json:"-"`
	Name   string  `json:"action"`
	Value  float64 `json:"value"`
	// Net is, for a critic, its value less that of the better of verify and stop:
	// the net value of information as the policy sees it. Nil for other actions.
	Net *float64 `json:"net_information"`
}

// base is what every policy has.
type base struct {
	name  string
	model Model
}

func (b *base) Name() string  { return b.name }
func (b *base) Model() *Model { return &b.model }

// decision fills in everything but the values, the action and the reason.
func (b *base) decision(s *State) Decision {
	p := &b.model.Problem
	return Decision{
		Thresholds:  p.Thresholds(),
		Information: p.unusedInformation(s),
		Perfect:     p.PerfectInformation(s.Belief),
	}
}

// decide makes a decision from the values of the actions.
func (b *base) decide(s *State, v *values, chosen Action) Decision {
	p := &b.model.Problem
	d := b.decision(s)
	d.Action, d.Name = chosen, p.ActionName(chosen)
	d.Ships = chosen == Stop && p.Ships(s.Belief)
	end := v.terminal()
	for a := Verify; int(a) < actions; a++ {
		if !v.ok[a] {
			continue
		}
		av := ActionValue{Action: a, Name: p.ActionName(a), Value: v.q[a]}
		if _, critic := a.Critic(); critic {
			net := v.q[a] - end
			av.Net = &net
		}
		d.Values = append(d.Values, av)
	}
	d.Reason = b.model.Problem.reason(v, chosen, d.Ships)
	return d
}

// terminal is the better of verify and stop.
func (v *values) terminal() float64 {
	if v.ok[Verify] && v.q[Verify] > v.q[Stop] {
		return v.q[Verify]
	}
	return v.q[Stop]
}
