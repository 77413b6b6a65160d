package components

import (
	"slices"
	"strings"

	"plumbline/experiments/stats"
)

// Definition says exactly what a number on a page means.
type Definition struct {
	Key         string // anchor on the definitions page
	Name        string
	Group       string
	Formula     string // in words
	Symbols     string // in the symbols explained on the page; may be empty
	Denominator string
	Ties        string // tie rule, or empty
	Missing     string // what happens with abstentions, unparseable replies, errors and absences
	Source      string
}

const (
	groupDecision    = "Decisions and votes"
	groupRate        = "Rates"
	groupAgreement   = "Agreement"
	groupSelective   = "Selective prediction"
	groupCalibration = "Ranking and calibration"
	groupInterval    = "Intervals"
	groupTest        = "Comparisons"
	groupCost        = "Counts and cost"
)

const (
	inClass   = "Abstentions stay in the denominator. Errors and missing items are not in it; they are counted apart."
	unparseA  = "An unparseable decision counts as decided and wrong. "
	undefined = "Undefined when the denominator is 0."
)

var definitions = []Definition{
	{"decision", "decision", groupDecision,
		"The class with the most votes among accept, reject, uncertain and unparseable.", "",
		"The K votes of one arm on one trace.", "A shared largest count gives uncertain; so does K = 0.",
		"A provider error is never a vote. Until all K votes are there the item is missing, not decided.", "Paper G §3, S5.4"},
	{"strict", "decision (strict)", groupDecision,
		"As the decision, and the winning class must hold more than half of the K votes.", "",
		"The K votes of one arm on one trace.", "Otherwise uncertain.", "As the decision.", "Variant of paper G §3"},
	{"share", "vote share", groupDecision, "Largest class count ÷ K; used as the confidence of a vote-based decision.", "",
		"K votes.", "", "Undefined for K = 0.", "Paper G §3"},
	{"composition", "decision composition", groupRate, "Share of each decision among the traces of a class.", "",
		"Traces of the class: acceptable or defective.", "", "Errors and missing items are shown as parts of their own.", "Paper G Fig. 2"},
	{"unanimous", "unanimous", groupAgreement, "Traces on which all K votes are the same class ÷ traces with K votes.", "",
		"Traces with all K votes.", "", "Items with an error or a missing vote are left out and counted.", ""},
	{"tie", "ties", groupAgreement, "Traces whose largest vote count is shared ÷ traces with K votes.", "",
		"Traces with all K votes.", "", "A tie is decided uncertain.", "Paper G §3"},
	{"fleiss_kappa", "Fleiss’ kappa", groupAgreement, "(observed − chance agreement) ÷ (1 − chance agreement) of the K votes, four classes.", "",
		"Traces with all K votes.", "", "Undefined when chance agreement is 1 or K < 2.", "Fleiss 1971"},
	{"krippendorff_alpha", "Krippendorff’s alpha", groupAgreement, "1 − observed ÷ expected disagreement, nominal classes.", "",
		"Pairable votes; traces with at least two.", "", "Missing votes are allowed. Undefined when all votes are one class.", "Krippendorff 2011"},
	{"cohen_kappa", "pairwise kappa", groupAgreement, "Cohen’s kappa of the decisions of two arms.", "",
		"Traces both arms have a decision on.", "", "Undefined when chance agreement is 1.", "Cohen 1960"},
	{"risk_coverage", "risk–coverage curve", groupSelective, "Risk among the most confident traces, over the share of traces covered.", "",
		"All traces with a known label and a decision; the curve ends at the arm’s coverage.",
		"Inside a group of equal confidence the expectation over a random order; only ends of groups are achievable working points.",
		"Abstained traces are never covered.", "Geifman & El-Yaniv 2017"},
	{"aurc", "AURC", groupSelective, "Mean of the selective risk over the coverages 1/n … n/n; partial where the arm abstains.", "",
		"All traces; partial areas of arms with different coverage must not be compared.", "Tie-averaged.", "Undefined without traces.", "Geifman et al. 2019"},
	{"e_aurc", "E-AURC", groupSelective, "AURC minus the smallest AURC with the same number of errors.", "",
		"As AURC.", "Tie-averaged.", "As AURC.", "Geifman et al. 2019"},
	{"augrc", "AUGRC", groupSelective, "Area under generalised risk (errors ÷ all traces) over coverage.", "",
		"All traces.", "Tie-averaged.", "As AURC.", "Traub et al. 2024"},
	{"scaling", "vote scaling", groupSelective, "Expected rates at K votes over all subsets of the recorded votes, without sampling.", "",
		"Traces with all recorded votes.", "As the decision at each K.", "Traces with fewer votes are left out and counted.", "Paper G §4"},
	{"auroc", "AUROC", groupCalibration, "Probability that a correct trace scores above an incorrect one.", "",
		"Pairs of a correct and an incorrect trace.", "Equal scores count one half.", "Undefined when a class is missing.", ""},
	{"brier", "Brier score", groupCalibration, "Mean squared difference of score and outcome.", "", "Traces with a score and a known label.", "", undefined, "Brier 1950"},
	{"ece", "ECE", groupCalibration, "Σ share of bin × |mean outcome − mean score| over 15 bins of equal width.", "",
		"Traces with a score and a known label.", "A score on an edge belongs to the lower bin.", "Empty bins contribute nothing.", "Naeini et al. 2015"},
	{"wilson", "Wilson interval", groupInterval, "Score interval of a binomial share at 95%.", "", "The n of the rate.", "", "Undefined for n = 0.", "Wilson 1927"},
	{"bootstrap", "percentile bootstrap", groupInterval, "2.5% and 97.5% quantiles (type 7) of the rate over resamples of the traces.", "",
		"Traces are resampled, never single votes; with several traces of one instance, instances are.", "",
		"Resamples on which the rate is undefined are dropped and counted.", "Efron 1979"},
	{"flips", "flips", groupTest, "Traces the baseline decides right and the other wrong, and the reverse.", "",
		"Traces both arms decided.", "", "A trace one of them abstains on is not a flip; the coverage difference stands beside it.", "Paper G S5.5"},
	{"accuracy_difference", "difference in accuracy", groupTest, "Right decisions of the other arm less those of the base ÷ traces both decided. Interval: paired bootstrap by trace.", "",
		"Traces both arms decided.", "", "Abstentions of either are left out and stand as the coverage difference. Undefined when both decided no trace.", "Paper G S5.5"},
	{"delta_rate", "difference of a rate", groupTest, "The rate of the other arm less that of the baseline; each resample of traces gives both.", "",
		"Traces both arms have a decision on, abstentions included.", "", "Undefined when either rate is; resamples in which one is undefined are dropped and counted.", "Efron 1979"},
	{"mcnemar", "McNemar test", groupTest, "Exact two-sided binomial test of the two discordant counts; mid-p beside it.", "",
		"Discordant traces among those both decided.", "", "No discordant trace gives p = 1.", "McNemar 1947; Fagerland et al. 2013"},
	{"permutation", "paired permutation test", groupTest, "Share of sign patterns of the paired differences with at least the observed sum.", "",
		"Traces both arms decided.", "Sums within 1e-12 are equal.", "Exact up to 20 differences, else 10,000 draws with (1 + hits) ÷ (1 + draws).", "Paper G S5.5"},
	{"bh", "Benjamini–Hochberg q", groupTest, "Smallest false discovery rate at which the pair would be called different.", "",
		"All pairs shown on the page.", "", "", "Benjamini & Hochberg 1995"},
	{"mde", "smallest detectable difference", groupTest, "(1.96 + 0.84) × standard error: seen with probability 0.8 at the 5% level.", "",
		"Traces both arms decided.", "", "Undefined without an interval.", ""},
	{"planned", "expected rate", groupTest, "The rate of expected counts: class sizes of the split × the probability of each decision at K votes.", "",
		"Expected traces.", "A tie of the votes is decided uncertain.",
		"A measured arm gives its decisions at K over all subsets of its votes; beyond the recorded number, and for assumed votes, votes on one trace follow a Dirichlet-multinomial. Errors and leaks are not foreseen.", "Mosimann 1962"},
	{"planned_width", "expected width", groupTest, "Upper less lower end of the Wilson interval at the expected rate and denominator.", "",
		"Expected traces.", "", "Undefined when no trace is expected in the denominator.", "Wilson 1927"},
	{"planned_range", "simulated range", groupTest, "2.5% and 97.5% quantiles of the rate over simulated experiments.", "",
		"Simulated experiments in which the rate is defined.", "", "Experiments without the rate are left out.", ""},
	{"power", "power", groupTest, "Simulated experiments in which the exact McNemar test of the two arms gives p < 0.05 ÷ simulated experiments.", "",
		"Simulated experiments.", "", "One in which both decide no trace in common finds nothing.", "Fagerland et al. 2013"},
	{"planned_detectable", "detectable difference", groupTest, "The difference δ in accuracy with δ = (1.96 + 0.84) × √((d − δ²) ÷ n): seen with probability 0.8 at the 5% level.", "d the discordant share",
		"n: traces that both arms are expected to decide.", "", "Undefined when no trace is expected to be decided by both.", "Normal approximation; compare Connor 1987"},
	{"coverage_difference", "coverage difference", groupTest, "Coverage of the other arm minus coverage of the baseline.", "",
		"Traces both arms have a decision on.", "", "Reported beside the accuracy difference and never folded into it.", "Paper G S5.5"},
	{"votes", "votes", groupCost, "Votes received, unparseable ones included.", "", "K × traces of the split are expected.", "", "Errors and missing votes are not votes.", ""},
	{"errors", "errors", groupCost, "Items for which no answer was received after all attempts.", "", "Items of the arm.", "", "Counted apart; never a decision.", ""},
	{"missing", "missing", groupCost, "Items that are not finished yet.", "", "Items of the arm.", "", "Counted apart; never taken as fine.", ""},
	{"blocked", "blocked", groupCost, "Items whose evidence the leakage audit refused.", "", "Items of the arm.", "", "Nothing was asked; counted apart.", ""},
	{"misread", "misread", groupCost, "Items with a vote whose reasons or decision contradict what it cites, by fixed rules.", "",
		"Items of the arm whose votes were audited.", "", "Not audited is unknown, not 0.", "Paper G §5"},
	{"screening", "contradiction rate", groupCost, "Votes of a reviewer with at least one contradiction of their evidence or of themselves ÷ its audited votes.", "",
		"Audited votes that could be read and were not taken from the cache; grounded and other evidence apart.", "",
		"Unaudited votes are left out and counted. Votes on one trace are not independent, so the interval is too narrow with several.", "Paper G S6"},
	{"tokens", "tokens", groupCost, "Σ input and output tokens as the endpoint reported them.", "", "Votes that were not cached.", "",
		"One vote without a report makes the sum unknown, not smaller.", ""},
	{"latency", "latency", groupCost, "Mean time from request to answer of a call, the last attempt only.", "", "Votes that were not cached.", "", "Undefined without a call.", ""},
	{"cost", "cost", groupCost, "Σ tokens × price of the version in force when the vote was made.", "", "Votes with a known price.", "",
		"An unknown price makes the sum unknown, not smaller. A cached vote is billed once.", ""},
}

// rateWords says in words what stats says in symbols.
var rateWords = map[stats.Metric]string{
	stats.Catch:                "Defective traces decided reject ÷ all defective traces.",
	stats.Miss:                 "Defective traces decided accept or unparseable ÷ all defective traces.",
	stats.OverRejection:        "Acceptable traces decided reject or unparseable ÷ all acceptable traces.",
	stats.CorrectAccept:        "Acceptable traces decided accept ÷ all acceptable traces.",
	stats.AbstainDefect:        "Defective traces decided uncertain ÷ all defective traces.",
	stats.AbstainAcceptable:    "Acceptable traces decided uncertain ÷ all acceptable traces.",
	stats.Coverage:             "Decided traces ÷ all traces; uncertain is not decided, unparseable is.",
	stats.Risk:                 "Wrong decisions ÷ decided traces.",
	stats.Accuracy:             "Right decisions ÷ decided traces.",
	stats.ErrorOverAll:         "Wrong decisions ÷ all traces, also called generalised risk.",
	stats.CorrectOverAll:       "Right decisions ÷ all traces; abstentions count as not correct.",
	stats.CatchDecided:         "Defective traces decided reject ÷ decided defective traces.",
	stats.MissDecided:          "Defective traces decided accept or unparseable ÷ decided defective traces.",
	stats.OverRejectionDecided: "Acceptable traces decided reject or unparseable ÷ decided acceptable traces.",
	stats.RejectPrecision:      "Rejected defective traces ÷ all rejected traces.",
	stats.AcceptPrecision:      "Accepted acceptable traces ÷ all accepted traces.",
	stats.ShareAccept:          "Traces decided accept ÷ all traces.",
	stats.ShareReject:          "Traces decided reject ÷ all traces.",
	stats.ShareUncertain:       "Traces decided uncertain ÷ all traces.",
	stats.ShareUnparseable:     "Traces decided unparseable ÷ all traces.",
}

// Definitions lists every metric of the pages in the order of the definitions
// page. The rates are those of package stats, which computes them.
var Definitions = allDefinitions()

func allDefinitions() []Definition {
	var all []Definition
	for _, d := range slices.Concat(definitions, beliefDefinitions, toolDefinitions) {
		if d.Key == "composition" {
			all = append(all, rateDefinitions()...)
		}
		all = append(all, d)
	}
	return all
}

func rateDefinitions() []Definition {
	var all []Definition
	for _, d := range stats.Definitions() {
		all = append(all, Definition{
			Key: string(d.Metric), Name: d.Name, Group: groupRate, Formula: rateWords[d.Metric], Symbols: d.Formula,
			Denominator: strings.ToUpper(d.Base[:1]) + d.Base[1:] + " with a decision.",
			Ties:        "A tie is decided uncertain.",
			Missing:     missingRule(d), Source: strings.ToUpper(d.Source[:1]) + d.Source[1:],
		})
	}
	return all
}

// missingRule is the rule for what is not there, which depends on the base.
func missingRule(d stats.Definition) string {
	if strings.Contains(d.Base, "decided") || strings.HasPrefix(d.Base, "rejections") || strings.HasPrefix(d.Base, "acceptances") {
		return unparseA + "Abstentions are not in the denominator. Errors and missing items are counted apart. " + undefined
	}
	return unparseA + inClass + " " + undefined
}

// Define looks a definition up by its key.
func Define(key string) (Definition, bool) {
	for _, d := range Definitions {
		if d.Key == key {
			return d, true
		}
	}
	return Definition{}, false
}

// DefinitionURL is where a metric is explained.
func DefinitionURL(key string) string { return "/definitions#" + key }
