package stats

import "testing"

var outcomes = map[string]Outcome{
	"accept": Accepted, "reject": Rejected, "uncertain": Abstained, "unparseable": Unparsed,
}

type referenceRow [2]string

func (r referenceRow) addTo(t *testing.T, c *ReviewCounts) {
	t.Helper()
	o, ok := outcomes[r[1]]
	if !ok || r[0] != "defect" && r[0] != "acceptable" {
		t.Fatalf("unknown row %v", r)
	}
	c.Add(r[0] == "defect", o)
}

type referenceCounts struct {
	Defect     referenceClass `json:"defect"`
	Acceptable referenceClass `json:"acceptable"`
}

type referenceClass struct {
	Accept      int `json:"accept"`
	Reject      int `json:"reject"`
	Uncertain   int `json:"uncertain"`
	Unparseable int `json:"unparseable"`
}

func TestReferenceReviewMetrics(t *testing.T) {
	t.Parallel()
	reference(t, "review_metrics.json", func(c *referenceCase) {
		var got ReviewCounts
		if c.has("rows") {
			var rows []referenceRow
			c.in("rows", &rows)
			for _, r := range rows {
				r.addTo(c.t, &got)
			}
		} else {
			var counts referenceCounts
			c.in("counts", &counts)
			got = ReviewCounts{Class(counts.Defect), Class(counts.Acceptable)}
		}
		var counts referenceCounts
		c.want("counts", &counts)
		if want := (ReviewCounts{Class(counts.Defect), Class(counts.Acceptable)}); got != want {
			c.t.Errorf("counts %+v, want %+v", got, want)
		}
		c.int("n", got.N())
		c.int("n_defect", got.Defect.N())
		c.int("n_acceptable", got.Acceptable.N())
		c.int("n_decided", got.Decided())
		c.int("n_decided_defect", got.Rate(CatchDecided).N)
		c.int("n_decided_acceptable", got.Rate(OverRejectionDecided).N)
		c.int("n_wrong_decided", got.Wrong())
		c.number("selective_risk", got.Rate(Risk).Number())
		for _, m := range []Metric{
			Catch, Miss, OverRejection, CorrectAccept, AbstainDefect, AbstainAcceptable, Coverage,
			ErrorOverAll, CorrectOverAll, CatchDecided, MissDecided, OverRejectionDecided,
			RejectPrecision, AcceptPrecision,
		} {
			c.number(string(m), got.Rate(m).Number())
		}
	})
}
