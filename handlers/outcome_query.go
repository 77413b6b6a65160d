package handlers

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"plumbline/experiments/vote"
	"plumbline/models"
	"plumbline/web/pages"
)

// outcomeList is a list of an experiment's items as its address describes it. The
// trace page walks the same list, so the address is all it needs to know.
type outcomeList struct {
	experiment string
	kind       pages.OutcomeKind
	values     url.Values // the parameters that narrow and sort, and nothing else
}

// outcomeParams are the parameters of a list, in the order of its filters.
var outcomeParams = []string{"arm", "repo", "agent", "bucket", "label", "size", "votes", "flagged", "stage", "share"}

func parseList(experiment string, values url.Values) outcomeList {
	l := outcomeList{experiment: experiment, kind: pages.ParseOutcomeKind(values.Get("kind")), values: url.Values{}}
	l.values.Set("kind", string(l.kind))
	for _, name := range append([]string{"sort", "group", "against", "against_kind"}, outcomeParams...) {
		if v := values.Get(name); v != "" {
			l.values.Set(name, v)
		}
	}
	return l
}

// path is the address of the list without its parameters.
func (l outcomeList) path() string { return experimentURL(l.experiment) + "/errors" }

// with is the address of the list with one parameter changed, from its first page.
func (l outcomeList) with(name, value string) string {
	q := url.Values{}
	for k, v := range l.values {
		q[k] = v
	}
	if value == "" {
		q.Del(name)
	} else {
		q.Set(name, value)
	}
	return l.path() + "?" + q.Encode()
}

// text is the list in one parameter of another address; see parseListText.
func (l outcomeList) text() string { return l.experiment + "?" + l.values.Encode() }

// parseListText reads what text wrote; ok is false for anything else.
func parseListText(s string) (l outcomeList, ok bool) {
	id, raw, found := strings.Cut(s, "?")
	if !found || id == "" {
		return l, false
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return l, false
	}
	return parseList(id, values), true
}

// known are the labels that enter a rate.
var known = []string{"acceptable", "defective"}

func bothLabels(decisions ...string) []models.OutcomeCell {
	var out []models.OutcomeCell
	for _, label := range known {
		out = append(out, models.OutcomeCell{Label: label, Decisions: decisions})
	}
	return out
}

// cellsOf are the states or cells a kind holds. The lists behind rates hold traces
// of known truth only, so that a list is as long as the numerator it explains.
func cellsOf(kind pages.OutcomeKind) (states []string, cells []models.OutcomeCell) {
	good := models.OutcomeCell{Label: "acceptable", Decisions: []string{"accept"}}
	caught := models.OutcomeCell{Label: "defective", Decisions: []string{"reject"}}
	rejected := models.OutcomeCell{Label: "acceptable", Decisions: []string{"reject", "unparseable"}}
	missed := models.OutcomeCell{Label: "defective", Decisions: []string{"accept", "unparseable"}}
	switch kind {
	case pages.KindFalseRejections:
		return nil, []models.OutcomeCell{rejected}
	case pages.KindMisses:
		return nil, []models.OutcomeCell{missed}
	case pages.KindWrong:
		return nil, []models.OutcomeCell{rejected, missed}
	case pages.KindCorrect:
		return nil, []models.OutcomeCell{good, caught}
	case pages.KindCatches:
		return nil, []models.OutcomeCell{caught}
	case pages.KindGoodAccepts:
		return nil, []models.OutcomeCell{good}
	case pages.KindAbstentions:
		return nil, bothLabels("uncertain")
	case pages.KindUnparseable:
		return nil, bothLabels("unparseable")
	case pages.KindDecided:
		return nil, bothLabels("accept", "reject", "unparseable")
	case pages.KindAccepted:
		return nil, bothLabels("accept")
	case pages.KindRejected:
		return nil, bothLabels("reject")
	case pages.KindErrors:
		return []string{models.ItemError}, nil
	case pages.KindMissing:
		return []string{models.ItemPending, models.ItemRunning}, nil
	case pages.KindBlocked:
		return []string{models.ItemBlocked}, nil
	}
	return nil, nil
}

// query turns the list into what the store is asked.
func (h *Handlers) query(ctx context.Context, v models.Viewer, l outcomeList) (models.OutcomeQuery, error) {
	q := models.OutcomeQuery{
		ExperimentID: l.experiment, ArmID: l.values.Get("arm"), Repo: l.values.Get("repo"), Agent: l.values.Get("agent"),
		Bucket: l.values.Get("bucket"), Label: l.values.Get("label"), Size: l.values.Get("size"), Flagged: l.values.Get("flagged"), Stage: l.values.Get("stage"),
	}
	q.States, q.Cells = cellsOf(l.kind)
	q.Misread = l.kind == pages.KindMisread
	if arm := l.values.Get("against"); arm != "" {
		if _, _, err := h.store.Arm(ctx, v, arm); err != nil {
			return q, err
		}
		q.Against = arm
		_, q.AgainstCells = cellsOf(pages.OutcomeKind(l.values.Get("against_kind")))
	}
	split, share := l.values.Get("votes"), 0.0
	if text := l.values.Get("share"); text != "" {
		var err error
		if share, err = strconv.ParseFloat(text, 64); err != nil || !(share >= 0 && share <= 1) {
			return q, models.Invalid("share", "must be a number from 0 to 1")
		}
	}
	ties := l.kind == pages.KindTies
	if split == "" && share == 0 && !ties {
		return q, nil
	}
	groups, err := h.store.GroupOutcomes(ctx, v, models.OutcomeQuery{ExperimentID: q.ExperimentID, ArmID: q.ArmID}, models.GroupVotes)
	if err != nil {
		return q, err
	}
	q.Patterns = []models.VotePattern{{Accept: -1}} // matches nothing, unless a split of that name exists
	for _, g := range groups {
		p := g.Pattern
		tally := vote.Counts{Accept: p.Accept, Reject: p.Reject, Uncertain: p.Uncertain, Unparseable: p.Unparseable}.Tally(vote.Plurality)
		if split != "" && splitName(p.Accept, p.Reject, p.Uncertain, p.Unparseable) != split || share > 0 && (tally.Share == nil || *tally.Share < share-1e-9) || ties && !tally.Tie {
			continue
		}
		q.Patterns = append(q.Patterns, p)
	}
	return q, nil
}
