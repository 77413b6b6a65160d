package components

const groupBelief = "Belief and control"

// beliefDefinitions explain the numbers of the belief and control pages.
var beliefDefinitions = []Definition{
	{"prior", "prior", groupBelief, "(correct + 1) ÷ (labelled + 2): the belief before any critic has looked.", "p₀",
		"Labelled candidates: the first of each task for chains, all of them for independent attempts.", "", "Candidates without a label are left out.", "Paper B §4"},
	{"pass_correct", "P(pass | correct)", groupBelief, "(passes + 1) ÷ (outcomes + 2) on correct candidates.", "π₁",
		"Correct candidates with an outcome of the critic.", "", "A missing outcome is in no count of its critic. Without a correct candidate it is a guess of one half.", "Paper B §3"},
	{"pass_defect", "P(pass | defective)", groupBelief, "(passes + 1) ÷ (outcomes + 2) on defective candidates.", "π₀",
		"Defective candidates with an outcome of the critic.", "", "As for correct candidates.", "Paper B §3"},
	{"gap", "gap", groupBelief, "P(pass | correct) − P(pass | defective); for more outcomes the total variation distance of the two rows.", "",
		"The two likelihoods of the critic.", "", "A class without an outcome makes it a guess.", "Paper B §3"},
	{"llr", "log likelihood ratio", groupBelief, "ln of P(outcome | correct) ÷ P(outcome | defective): what the outcome adds to the log-odds of the belief.", "",
		"The two likelihoods of the outcome.", "", "A missing outcome adds nothing.", "Paper B §4"},
	{"belief", "belief", groupBelief, "P(correct | evidence) by Bayes’ rule from the prior and the likelihoods of the outcomes seen.", "b",
		"One candidate and the critics that looked at it.", "", "A missing outcome leaves the belief; an outcome that the likelihoods exclude leaves it too and is marked.", "Paper B §4"},
	{"kernel", "kernel", groupBelief, "Fix: P(next is correct | this is defective). Break: P(next is defective | this is correct). Each (count + 1) ÷ (pairs + 2).", "p₀₁, p₁₀",
		"Pairs of consecutive candidates of a task with known labels.", "", "Pairs with an unknown label are left out. On independent attempts it measures how hard tasks are, not repair.", "Paper B §4"},
	{"cramers_v", "Cramér’s V", groupBelief, "√(χ² ÷ (n × (smaller side − 1))) of the table of two critics within one class.", "",
		"Candidates of the class with an outcome of both.", "", "Undefined if one of them says the same on all. p is Pearson’s χ² without continuity correction.", "Cramér 1946"},
	{"prr", "PRR", groupBelief, "(area − random) ÷ (oracle − random) of the mean quality of the kept, as the least sure are rejected, up to half or all.", "",
		"Held candidates with a score and a label.", "Expected order within ties.", "Undefined if all candidates are right or all wrong.", "Malinin & Gales 2021"},
	{"log_loss", "log loss", groupBelief, "Mean of −ln of the probability given to what was true.", "", "Held candidates with a score and a label.", "",
		"Probabilities are clipped to 10⁻¹⁵.", ""},
	{"utility", "utility", groupBelief, "Reward of a verified correct candidate less the costs of all actions. Stopping earns nothing; the first candidate is in hand.", "U",
		"Tasks. Exact: the expectation under the model. Replay: the mean over recorded tasks.", "Equally good actions: verify, stop, regenerate, then critics in order.",
		"A task that needs an outcome nobody recorded is left out and counted.", "Paper B §3"},
	{"censored", "censored", groupBelief, "Tasks on which the policy regenerates past the last recorded candidate: it pays, and stops.", "", "Replayed tasks.", "",
		"The upper bound adds the most that the missing candidate could have brought, R − C_ver.", "Paper B §5"},
	{"delta", "Δ to always-verify", groupBelief, "Mean utility less that of verifying the first candidate at once, on the same tasks.", "", "Tasks replayed to the end under both.", "",
		"Its interval resamples tasks.", "Paper B §5"},
	{"evsi", "value of information", groupBelief, "Expected value of the better of verify and stop after the critic’s outcome, less that before; net of its cost.", "", "One critic at one belief.", "", "A critic that was used on the candidate has none left.", "Raiffa & Schlaifer 1961"},
	{"regime", "regime map", groupBelief, "For each prior and cost of verification the policy with the largest exact utility, and its lead over the second.", "", "One problem a cell.", "The first, simpler policy wins a tie.",
		"Each cell takes a regeneration for a fresh draw from its prior.", "Paper B §5"},
}
