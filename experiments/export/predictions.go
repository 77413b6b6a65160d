package export

import (
	"encoding/json"
	"io"

	"plumbline/experiments/trace"
)

// Prediction is a submitted patch as evaluation harnesses take it, with what else
// names the attempt beside it.
type Prediction struct {
	InstanceID string
	Model      string
	Agent      string
	Attempt    int
	Status     string
	State      trace.PatchState
	Patch      string
}

// predictionLine has the keys in the order of the harness. A patch that was null is
// null, one that was absent is left out.
type predictionLine struct {
	InstanceID string           `json:"instance_id"`
	Model      string           `json:"model_name_or_path"`
	Patch      json.RawMessage  `json:"model_patch,omitempty"`
	State      trace.PatchState `json:"patch_state,omitempty"` // none: the attempt left no patch
	Agent      string           `json:"agent"`
	Attempt    int              `json:"attempt"`
	Status     string           `json:"exit_status,omitempty"`
}

// Predictions writes predictions as JSON lines.
type Predictions struct{ enc *json.Encoder }

// NewPredictions starts a file.
func NewPredictions(w io.Writer) *Predictions {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &Predictions{enc}
}

// Put writes one line.
func (p *Predictions) Put(r Prediction) error {
	line := predictionLine{
		InstanceID: plain(r.InstanceID), Model: plain(r.Model), Agent: plain(r.Agent), Attempt: r.Attempt, Status: plain(r.Status),
	}
	switch {
	case r.Patch != "" || r.State == trace.PatchEmpty:
		line.Patch = text(r.Patch)
	case r.State == trace.PatchNone:
		line.Patch, line.State = json.RawMessage("null"), r.State
	case r.State != trace.PatchAbsent:
		line.Patch = json.RawMessage("null")
	}
	return failed(p.enc.Encode(line))
}

// text is a text as JSON.
func text(s string) json.RawMessage {
	out, err := json.Marshal(s)
	if err != nil {
		panic("a text cannot be written as JSON: " + err.Error())
	}
	return out
}
