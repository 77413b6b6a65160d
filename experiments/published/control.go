package published

// releaseB is where the numbers of paper B come from: the text of the paper that is
// openly readable prints no table.
const releaseB = "the authors' public records, github.com/rvz16/agents_with_uncertainty_research, experiments/orchestration_hypothesis_testing"

// controlTables are the numbers that the authors of paper B published for three
// cells of their study, rounded to four decimals as in their own table.
var controlTables = []Table{
	{
		Key: "b-likelihoods", Paper: B, Place: "likelihood tables", Title: "Critics: verdicts by truth and smoothed likelihoods", Source: releaseB,
		Columns: []string{"cell", "critic", "passes of correct", "passes of defective", "P(pass | correct)", "P(pass | defective)"},
		Rows: []Row{
			{[]string{"LiveCodeBench hard, gpt-5-mini", "syntax"}, []string{"21/21", "45/66", "0.9565", "0.6765"}},
			{[]string{"LiveCodeBench hard, gpt-5-mini", "lint"}, []string{"0/21", "0/66", "0.0435", "0.0147"}},
			{[]string{"LiveCodeBench hard, gpt-5-mini", "tests"}, []string{"21/21", "16/66", "0.9565", "0.2500"}},
			{[]string{"LiveCodeBench hard, gpt-5-mini", "llm"}, []string{"18/21", "32/66", "0.8261", "0.4853"}},
			{[]string{"LiveCodeBench hard, claude-haiku-4.5", "syntax"}, []string{"12/12", "75/75", "0.9286", "0.9870"}},
			{[]string{"LiveCodeBench hard, claude-haiku-4.5", "lint"}, []string{"12/12", "75/75", "0.9286", "0.9870"}},
			{[]string{"LiveCodeBench hard, claude-haiku-4.5", "tests"}, []string{"12/12", "8/75", "0.9286", "0.1169"}},
			{[]string{"LiveCodeBench hard, claude-haiku-4.5", "llm"}, []string{"7/12", "30/75", "0.5714", "0.4026"}},
			{[]string{"LiveCodeBench medium, claude-haiku-4.5", "syntax"}, []string{"58/58", "211/212", "0.9833", "0.9907"}},
			{[]string{"LiveCodeBench medium, claude-haiku-4.5", "lint"}, []string{"58/58", "212/212", "0.9833", "0.9953"}},
			{[]string{"LiveCodeBench medium, claude-haiku-4.5", "tests"}, []string{"57/58", "12/212", "0.9667", "0.0607"}},
			{[]string{"LiveCodeBench medium, claude-haiku-4.5", "llm"}, []string{"41/58", "148/212", "0.7000", "0.6963"}},
		},
		Notes: []string{"Likelihoods are smoothed by one success and one failure."},
	},
	{
		Key: "b-policies", Paper: B, Place: "policy comparison", Title: "Policies: mean utility, share solved and difference to always-verify", Source: releaseB,
		Columns: []string{"cell", "policy", "mean utility", "share solved", "difference to always-verify"},
		Rows: []Row{
			{[]string{"LiveCodeBench hard, gpt-5-mini", "always_verify"}, []string{"1.0345", "0.3103", "0.0000 [0.0000, 0.0000]"}},
			{[]string{"LiveCodeBench hard, gpt-5-mini", "threshold_L0"}, []string{"1.8621", "0.3103", "0.8276 [-0.9310, 2.8276]"}},
			{[]string{"LiveCodeBench hard, gpt-5-mini", "threshold_L2"}, []string{"7.4138", "0.3448", "6.3793 [0.8621, 14.5172]"}},
			{[]string{"LiveCodeBench hard, gpt-5-mini", "threshold_L3"}, []string{"-5.0000", "0.3103", "-6.0345 [-8.1034, -4.1379]"}},
			{[]string{"LiveCodeBench hard, gpt-5-mini", "fixed_pipeline"}, []string{"-6.6207", "0.3103", "-7.6552 [-9.7586, -5.7586]"}},
			{[]string{"LiveCodeBench hard, gpt-5-mini", "best_of_3"}, []string{"-22.7586", "0.1724", "-23.7931 [-41.0345, -6.5517]"}},
			{[]string{"LiveCodeBench hard, gpt-5-mini", "bayesian_DP"}, []string{"2.8966", "0.3448", "1.8621 [-3.8974, 10.2069]"}},
			{[]string{"LiveCodeBench hard, gpt-5-mini", "bayesian_greedy"}, []string{"13.5862", "0.3103", "12.5517 [7.0345, 18.0690]"}},
			{[]string{"LiveCodeBench hard, claude-haiku-4.5", "always_verify"}, []string{"-16.2069", "0.1379", "0.0000 [0.0000, 0.0000]"}},
			{[]string{"LiveCodeBench hard, claude-haiku-4.5", "threshold_L0"}, []string{"-17.2069", "0.1379", "-1.0000 [-1.0000, -1.0000]"}},
			{[]string{"LiveCodeBench hard, claude-haiku-4.5", "threshold_L2"}, []string{"-3.5517", "0.1379", "12.6552 [9.5517, 15.1379]"}},
			{[]string{"LiveCodeBench hard, claude-haiku-4.5", "threshold_L3"}, []string{"-26.5517", "0.1034", "-10.3448 [-18.2759, -5.1724]"}},
			{[]string{"LiveCodeBench hard, claude-haiku-4.5", "fixed_pipeline"}, []string{"-28.6897", "0.1034", "-12.4828 [-20.3466, -7.2052]"}},
			{[]string{"LiveCodeBench hard, claude-haiku-4.5", "best_of_3"}, []string{"-26.2069", "0.1379", "-10.0000 [-10.0000, -10.0000]"}},
			{[]string{"LiveCodeBench hard, claude-haiku-4.5", "bayesian_DP"}, []string{"4.0690", "0.1379", "20.2759 [14.7586, 24.6897]"}},
			{[]string{"LiveCodeBench hard, claude-haiku-4.5", "bayesian_greedy"}, []string{"4.0690", "0.1379", "20.2759 [14.7586, 24.6897]"}},
			{[]string{"LiveCodeBench medium, claude-haiku-4.5", "always_verify"}, []string{"-8.8889", "0.2111", "0.0000 [0.0000, 0.0000]"}},
			{[]string{"LiveCodeBench medium, claude-haiku-4.5", "threshold_L0"}, []string{"-8.8444", "0.2222", "0.0444 [-1.0000, 2.1333]"}},
			{[]string{"LiveCodeBench medium, claude-haiku-4.5", "threshold_L2"}, []string{"5.9778", "0.2444", "14.8667 [10.7550, 19.3139]"}},
			{[]string{"LiveCodeBench medium, claude-haiku-4.5", "threshold_L3"}, []string{"-17.2222", "0.1889", "-8.3333 [-13.7222, -3.2208]"}},
			{[]string{"LiveCodeBench medium, claude-haiku-4.5", "fixed_pipeline"}, []string{"-18.6667", "0.1889", "-9.7778 [-15.2889, -4.6217]"}},
			{[]string{"LiveCodeBench medium, claude-haiku-4.5", "best_of_3"}, []string{"-17.7778", "0.2222", "-8.8889 [-13.3333, -4.4444]"}},
			{[]string{"LiveCodeBench medium, claude-haiku-4.5", "bayesian_DP"}, []string{"2.9333", "0.2444", "11.8222 [7.7331, 16.2364]"}},
			{[]string{"LiveCodeBench medium, claude-haiku-4.5", "bayesian_greedy"}, []string{"10.1778", "0.2000", "19.0667 [15.4211, 22.3111]"}},
		},
		Notes: []string{"Brackets are 95% bootstrap intervals over tasks (1,000 resamples). The kernel is a fresh draw from the prior; a solved task is worth 100, verification costs 30."},
	},
	{
		Key: "b-kernels", Paper: B, Place: "transition kernels", Title: "Repair and breakage between consecutive candidates", Source: releaseB,
		Columns: []string{"cell", "kernel", "repaired", "broken", "P(repair | broken)", "P(break | correct)"},
		Rows: []Row{
			{[]string{"LiveCodeBench hard, gpt-5-mini", "iid_baseline"}, []string{"1/42", "5/16", "0.0455", "0.3333"}},
			{[]string{"LiveCodeBench hard, gpt-5-mini", "iterative"}, []string{"0/82", "2/34", "0.0119", "0.0833"}},
			{[]string{"LiveCodeBench hard, gpt-5-mini", "measured"}, []string{"9/75", "7/45", "0.1299", "0.1702"}},
			{[]string{"LiveCodeBench hard, claude-haiku-4.5", "iid_baseline"}, []string{"2/50", "2/8", "0.0577", "0.3000"}},
			{[]string{"LiveCodeBench hard, claude-haiku-4.5", "iterative"}, []string{"3/100", "2/16", "0.0392", "0.1667"}},
			{[]string{"LiveCodeBench medium, claude-haiku-4.5", "iid_baseline"}, []string{"7/142", "6/38", "0.0556", "0.1750"}},
			{[]string{"LiveCodeBench medium, claude-haiku-4.5", "iterative"}, []string{"2/96", "2/24", "0.0306", "0.1154"}},
		},
		Notes: []string{"Probabilities are smoothed by one success and one failure."},
	},
}
