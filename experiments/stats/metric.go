package stats

// Metric names a rate of a review.
type Metric string

// The rates. Class rates keep abstentions in their denominator; the names
// ending in Decided take the decided traces alone.
const (
	Catch                Metric = "catch"
	Miss                 Metric = "miss"
	OverRejection        Metric = "over_rejection"
	CorrectAccept        Metric = "correct_accept"
	AbstainDefect        Metric = "abstain_defect"
	AbstainAcceptable    Metric = "abstain_acceptable"
	Coverage             Metric = "coverage"
	Risk                 Metric = "risk"
	Accuracy             Metric = "accuracy"
	ErrorOverAll         Metric = "error_over_all"
	CorrectOverAll       Metric = "correct_over_all"
	CatchDecided         Metric = "catch_decided"
	MissDecided          Metric = "miss_decided"
	OverRejectionDecided Metric = "over_rejection_decided"
	RejectPrecision      Metric = "reject_precision"
	AcceptPrecision      Metric = "accept_precision"
	ShareAccept          Metric = "share_accept"
	ShareReject          Metric = "share_reject"
	ShareUncertain       Metric = "share_uncertain"
	ShareUnparseable     Metric = "share_unparseable"
)

// Definition explains a metric. D and A in the formula are the defects and the
// acceptable patches; a, r, u, x are accept, reject, uncertain, unparseable.
type Definition struct {
	Metric Metric
	Name   string
	// Formula is the numerator over the denominator in the words above.
	Formula string
	// Base says in words what the rate is a share of.
	Base string
	// Source is where the definition comes from.
	Source string
	// num and den are the cells that are summed, a bit for each of the eight.
	num, den uint8
	empty    string
}

// The cells as bits, in the order of ReviewCounts.cells.
const (
	da uint8 = 1 << iota
	dr
	du
	dx
	aa
	ar
	au
	ax

	defects    = da | dr | du | dx
	acceptable = aa | ar | au | ax
	all        = defects | acceptable
	decided    = all &^ (du | au)
	wrong      = da | dx | ar | ax
	right      = dr | aa
)

var definitions = []Definition{
	{Catch, "catch", "D_r / D", "defects", "paper G §3", dr, defects, "no defects"},
	{Miss, "miss", "(D_a + D_x) / D", "defects", "paper G §3, S5.4", da | dx, defects, "no defects"},
	{OverRejection, "over-rejection", "(A_r + A_x) / A", "acceptable patches", "paper G §3, S5.4", ar | ax, acceptable, "no acceptable patches"},
	{CorrectAccept, "correct accept", "A_a / A", "acceptable patches", "complement of over-rejection and abstention", aa, acceptable, "no acceptable patches"},
	{AbstainDefect, "abstention on defects", "D_u / D", "defects", "paper G §3", du, defects, "no defects"},
	{AbstainAcceptable, "abstention on acceptable", "A_u / A", "acceptable patches", "paper G §3", au, acceptable, "no acceptable patches"},
	{Coverage, "coverage", "(n - D_u - A_u) / n", "all labelled traces", "paper G §3", decided, all, "no traces"},
	{Risk, "risk", "(D_a + D_x + A_r + A_x) / (n - D_u - A_u)", "decided traces", "paper G §3", wrong, decided, "nothing was decided"},
	{Accuracy, "accuracy of the decided", "(D_r + A_a) / (n - D_u - A_u)", "decided traces", "complement of risk", right, decided, "nothing was decided"},
	{ErrorOverAll, "wrong decisions over all", "(D_a + D_x + A_r + A_x) / n", "all labelled traces", "generalized risk, Traub et al. 2024", wrong, all, "no traces"},
	{CorrectOverAll, "correct decisions over all", "(D_r + A_a) / n", "all labelled traces", "paper G Fig. S7", right, all, "no traces"},
	{CatchDecided, "catch, decided only", "D_r / (D - D_u)", "decided defects", "paper G S4.1", dr, defects &^ du, "no decided defects"},
	{MissDecided, "miss, decided only", "(D_a + D_x) / (D - D_u)", "decided defects", "paper G S4.1", da | dx, defects &^ du, "no decided defects"},
	{OverRejectionDecided, "over-rejection, decided only", "(A_r + A_x) / (A - A_u)", "decided acceptable patches", "paper G S4.1", ar | ax, acceptable &^ au, "no decided acceptable patches"},
	{RejectPrecision, "reject precision", "D_r / (D_r + A_r)", "rejections", "paper G S4.1", dr, dr | ar, "nothing was rejected"},
	{AcceptPrecision, "accept precision", "A_a / (A_a + D_a)", "acceptances", "paper G S4.1", aa, aa | da, "nothing was accepted"},
	{ShareAccept, "share accepted", "(D_a + A_a) / n", "all labelled traces", "composition of decisions", da | aa, all, "no traces"},
	{ShareReject, "share rejected", "(D_r + A_r) / n", "all labelled traces", "composition of decisions", dr | ar, all, "no traces"},
	{ShareUncertain, "share uncertain", "(D_u + A_u) / n", "all labelled traces", "composition of decisions", du | au, all, "no traces"},
	{ShareUnparseable, "share unparseable", "(D_x + A_x) / n", "all labelled traces", "composition of decisions", dx | ax, all, "no traces"},
}

// Definitions lists every metric in display order. The caller may change the result.
func Definitions() []Definition { return append([]Definition(nil), definitions...) }

// Define returns the definition of m and whether there is one.
func Define(m Metric) (Definition, bool) {
	for _, d := range definitions {
		if d.Metric == m {
			return d, true
		}
	}
	return Definition{}, false
}

// Rate is the rate m of the counts. It is undefined, with the reason, when its
// denominator is empty or when m is no metric.
func (c ReviewCounts) Rate(m Metric) Rate {
	d, ok := Define(m)
	if !ok {
		return Rate{Reason: "no such metric: " + string(m)}
	}
	return d.rate(c.cells())
}

func (d Definition) rate(cells [8]int) Rate {
	k, n := 0, 0
	for i, c := range cells {
		if d.num>>i&1 == 1 {
			k += c
		}
		if d.den>>i&1 == 1 {
			n += c
		}
	}
	return RateOf(k, n, d.empty)
}

// counts is what a trace in a cell adds: nothing, to the denominator, or to both.
func (d Definition) counts(cell int) uint8 { return d.num>>cell&1 + d.den>>cell&1 }
