package cascade

// Stage is a step of the cascade.
type Stage int

// The stages of Algorithm 1 (paper G §6).
const (
	StageNoChange Stage = iota // the patch changes no code
	StageStatic                // static findings that the patch caused
	StageTest                  // a generated test that first fails on the base
	StageResidual              // votes of the residual reviewer
)

// Stages lists every stage in order.
var Stages = [4]Stage{StageNoChange, StageStatic, StageTest, StageResidual}

var stageWords = [4]struct{ key, name, explain string }{
	{"no_change", "no code change", "A patch that changes no code is rejected without asking anybody."},
	{"static", "static check", "A finding of a decisive class that the patch caused rejects; one that the base has too is ignored."},
	{"test", "generated test", "A test written from issue and patch counts only if it first fails on the base because behaviour is missing; then it runs on the patch."},
	{"residual", "residual reviewer", "What no check decides goes to the weak reviewer, who may abstain."},
}

func (s Stage) words() (key, name, explain string) {
	if s < 0 || int(s) >= len(stageWords) {
		return "", "", ""
	}
	w := stageWords[s]
	return w.key, w.name, w.explain
}

// Key is the stage's stable name, as stored and exported.
func (s Stage) Key() string { k, _, _ := s.words(); return k }

// Name is the stage for people.
func (s Stage) Name() string { _, n, _ := s.words(); return n }

// Explain is one sentence about the stage.
func (s Stage) Explain() string { _, _, e := s.words(); return e }

// ParseStage reads a key; false for anything else.
func ParseStage(key string) (Stage, bool) {
	for _, s := range Stages {
		if s.Key() == key {
			return s, true
		}
	}
	return 0, false
}
