package formats

import (
	"strings"

	"plumbline/experiments/trace"
)

// stepper turns the events of an agent into steps: words before an action become
// its thought, a result finds its action by id, and steps leave in the order of
// their actions. At most maxOpen actions wait for a result.
type stepper struct {
	x     *reading
	of    Ref
	queue []*waiting
	byID  map[string]*waiting
	words []string
	index int
}

type waiting struct {
	id   string
	step trace.Step
	done bool
}

const maxOpen = 64

func newStepper(x *reading) *stepper {
	return &stepper{x: x, of: x.ref(), byID: map[string]*waiting{}}
}

// think keeps words for the next action.
func (s *stepper) think(text string) {
	if strings.TrimSpace(text) != "" {
		s.words = append(s.words, text)
	}
}

func (s *stepper) thought() string {
	t := strings.Join(s.words, "\n\n")
	s.words = nil
	return t
}

// act opens an action. An action without an id takes no result.
func (s *stepper) act(id string, st trace.Step) error {
	if t := s.thought(); t != "" {
		if st.Thought != "" && st.Thought != t {
			t += "\n\n" + st.Thought
		}
		st.Thought = t
	}
	st.Index = s.index
	s.index++
	if st.Kind == "" {
		st.Kind = trace.StepAction
	}
	w := &waiting{id: id, step: st, done: id == ""}
	s.queue = append(s.queue, w)
	if id != "" {
		s.byID[id] = w
	}
	return s.leave(len(s.queue) > maxOpen)
}

// see gives a result to its action; fn changes the step. A result without an
// action becomes a step of its own.
func (s *stepper) see(id string, fn func(*trace.Step)) error {
	w := s.byID[id]
	if w == nil {
		st := trace.Step{Kind: trace.StepObservation}
		fn(&st)
		if st.Observation == "" {
			return nil
		}
		return s.act("", st)
	}
	fn(&w.step)
	w.done = true
	delete(s.byID, id)
	return s.leave(false)
}

// leave emits the steps at the front that are complete; one more if forced.
func (s *stepper) leave(force bool) error {
	for len(s.queue) > 0 && (s.queue[0].done || force) {
		w := s.queue[0]
		s.queue = s.queue[1:]
		delete(s.byID, w.id)
		force = false
		if err := s.x.put(&Step{Of: s.of, Step: w.step}); err != nil {
			return err
		}
	}
	return nil
}

// end emits everything that still waits, and last words as a message.
func (s *stepper) end() error {
	for len(s.queue) > 0 {
		if err := s.leave(true); err != nil {
			return err
		}
	}
	if t := s.thought(); t != "" {
		return s.act("", trace.Step{Kind: trace.StepMessage, Thought: t})
	}
	return nil
}
