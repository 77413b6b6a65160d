package formats

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// Need says what a record holds that an attempt was joined from.
type Need struct {
	Attempt              *Attempt
	Patch, Summary, Step bool
}

// RowTexts are the records that hold the texts of an instance; nil when no row has
// the text. A row inside a dataset comes before a copy inside a trajectory, and
// the first of its kind before later ones.
type RowTexts struct{ Issue, Hints, Oracle *Ref }

// from takes the texts that a row has, those that are known already only if the
// row is preferred.
func (t *RowTexts) from(r *Row, preferred bool) {
	at := &Ref{r.Path, r.N} // a pointer into the row would keep its texts alive
	take := func(to **Ref, has bool) {
		if has && (*to == nil || preferred) {
			*to = at
		}
	}
	take(&t.Issue, r.Instance.Issue != "")
	take(&t.Hints, r.Instance.Hints != "")
	take(&t.Oracle, !r.Instance.Oracle.Empty())
}

// Needs lists, for a second pass over the same files, which records hold the
// texts of which attempts. A record of the second pass has the same Ref; steps
// name it in Of.
func (j Joined) Needs() map[Ref][]Need {
	out := map[Ref][]Need{}
	for _, a := range j.Attempts {
		byRef := map[Ref]*Need{}
		at := func(r *Ref) *Need {
			if byRef[*r] == nil {
				byRef[*r] = &Need{Attempt: a}
			}
			return byRef[*r]
		}
		if a.PatchAt != nil {
			at(a.PatchAt).Patch = true
		}
		if a.SummaryAt != nil {
			at(a.SummaryAt).Summary = true
		}
		if a.StepsAt != nil {
			at(a.StepsAt).Step = true
		}
		for r, n := range byRef {
			out[r] = append(out[r], *n)
		}
	}
	return out
}

// Key identifies the attempt by what it says: instance, agent, model, number and
// patch. A second import of the same files gives the same keys; a changed patch
// under an old id gives a new one.
func (a *Attempt) Key() string {
	h := sha256.New()
	for _, s := range []string{a.Trace.InstanceID, a.Trace.Agent, a.Trace.Model, strconv.Itoa(a.Trace.Attempt), string(a.Patch.State), a.Patch.SHA256} {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}
