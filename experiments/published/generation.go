package published

// generationTables are the results of paper T that are printed as numbers.
var generationTables = []Table{
	{
		Key: "t-table-2", Paper: T, Place: "Table 2", Title: "Pass@1 (%) of selection after 10 rounds of independent codes and tests, mean and standard error over 5 seeds",
		Columns: []string{"heuristic", "BigCode Qwen3", "BigCode GPT-OSS", "BigCode MM-M2.1", "Qiskit Qwen3", "Qiskit GPT-OSS", "Qiskit MM-M2.1", "LeetCode Qwen3", "LeetCode GPT-OSS", "LeetCode MM-M2.1"},
		Rows: []Row{
			{[]string{"Random Selection"}, []string{"27.43 ±0.31", "37.16 ±0.63", "34.46 ±0.45", "52.73 ±0.19", "41.96 ±0.36", "43.78 ±0.47", "18.60 ±0.22", "69.12 ±0.31", "62.54 ±0.58"}},
			{[]string{"MBR-Exec Hard"}, []string{"29.32 ±0.43", "37.30 ±0.42", "35.95 ±0.55", "54.97 ±0.13", "47.69 ±0.40", "45.73 ±0.34", "18.33 ±0.18", "72.81 ±0.41", "73.07 ±0.33"}},
			{[]string{"MBR-Exec Soft"}, []string{"29.73 ±0.42", "37.30 ±0.54", "36.76 ±0.31", "54.97 ±0.16", "47.13 ±0.35", "46.71 ±0.23", "18.60 ±0.16", "72.19 ±0.32", "73.33 ±0.45"}},
			{[]string{"CodeT Hard"}, []string{"31.22 ±0.32", "37.30 ±0.24", "36.08 ±0.59", "59.02 ±0.19", "51.33 ±0.38", "50.49 ±0.23", "21.23 ±0.12", "73.25 ±0.36", "78.60 ±0.24"}},
			{[]string{"CodeT Soft"}, []string{"35.00 ±0.36", "38.24 ±0.34", "42.03 ±0.42", "62.24 ±0.28", "54.13 ±0.27", "53.85 ±0.33", "24.30 ±0.23", "74.56 ±0.49", "79.56 ±0.24"}},
			{[]string{"MaxPass Hard"}, []string{"33.51 ±0.45", "37.30 ±0.46", "39.59 ±0.39", "61.40 ±0.15", "48.53 ±0.40", "51.75 ±0.22", "24.82 ±0.26", "70.09 ±0.54", "76.32 ±0.50"}},
			{[]string{"MaxPass Soft"}, []string{"35.41 ±0.38", "38.24 ±0.34", "42.30 ±0.31", "63.22 ±0.19", "54.13 ±0.27", "54.13 ±0.34", "25.09 ±0.29", "74.56 ±0.49", "79.21 ±0.30"}},
		},
	},
	{
		Key: "t-table-3", Paper: T, Place: "Table 3", Title: "Irreducible regret Δ (%), Qwen3-235B-A22B-Instruct-2507, mean and standard error over 5 seeds",
		Columns: []string{"method", "BigCode", "Qiskit"},
		Rows: []Row{
			{[]string{"Oracle Estimator"}, []string{"30.68 ±1.69", "16.08 ±0.54"}},
			{[]string{"Online Estimator"}, []string{"27.07 ±0.79", "11.66 ±1.02"}},
		},
		Notes: []string{"SWE-bench Verified with MiniMax M2.7: 5.26 (§5.6). LeetCode: about 0 by the oracle, not converged online."},
	},
	{
		Key: "t-5-3", Paper: T, Place: "§5.3", Title: "Feedback of oracle tests (%), Qwen3-235B-A22B-Instruct-2507",
		Columns: []string{"quantity", "BigCode", "Qiskit", "LeetCode"},
		Rows: []Row{
			{[]string{"pass@1 after 10 rounds of oracle-test feedback"}, []string{"63.78", "72.31", "72.11"}},
			{[]string{"pass@10 without feedback"}, []string{"46.35", "67.83", "28.60"}},
			{[]string{"rate of information gain β√Γ/2"}, []string{"42.69", "32.12", "64.66"}},
		},
	},
	{
		Key: "t-table-s1", Paper: T, Place: "Table S1", Title: "Pass@1 (%) before and after 10 rounds of self-test feedback, mean over 5 seeds",
		Columns: []string{"model", "BigCode first", "BigCode last", "Qiskit first", "Qiskit last", "LeetCode first", "LeetCode last"},
		Rows: []Row{
			{[]string{"Qwen3-235B-A22B"}, []string{"33.38", "33.11", "53.00", "56.22", "24.65", "72.11"}},
			{[]string{"Qwen3-Next"}, []string{"35.95", "32.7", "50.35", "56.08", "28.07", "67.28"}},
			{[]string{"Qwen3-Coder-Next"}, []string{"36.08", "30.27", "43.50", "52.31", "39.30", "64.39"}},
			{[]string{"Qwen3.5-397B-A17B"}, []string{"37.97", "37.3", "55.66", "59.3", "66.96", "73.98"}},
		},
	},
	{
		Key: "t-table-s2", Paper: T, Place: "Table S2", Title: "Pass@1 (%) after 10 rounds by compression and factorisation, with the gain during generation, mean and standard error over 5 seeds",
		Columns: []string{"compression", "factorisation", "BigCode", "BigCode gain", "Qiskit", "Qiskit gain", "LeetCode", "LeetCode gain"},
		Rows: []Row{
			{[]string{"insight reformulation", "p(c) p(t)"}, []string{"30.81 ±0.28", "-2.16 ±0.32", "54.55 ±0.33", "2.24 ±0.33", "61.05 ±0.32", "34.56 ±0.48"}},
			{[]string{"insight reformulation", "p(t|c) p(c)"}, []string{"31.89 ±0.45", "-0.68 ±0.51", "54.27 ±0.39", "2.94 ±0.90", "58.60 ±0.47", "34.65 ±0.72"}},
			{[]string{"insight reformulation", "p(c|t) p(t)"}, []string{"34.05 ±0.31", "-0.81 ±0.46", "54.97 ±0.19", "3.08 ±0.40", "60.61 ±0.48", "36.40 ±0.30"}},
			{[]string{"summary concatenation", "p(c) p(t)"}, []string{"32.84 ±0.45", "-0.27 ±0.49", "55.52 ±0.36", "3.92 ±0.46", "71.14 ±0.24", "42.02 ±0.32"}},
			{[]string{"summary concatenation", "p(t|c) p(c)"}, []string{"32.03 ±0.44", "-0.41 ±0.58", "56.08 ±0.55", "5.45 ±0.92", "68.42 ±0.31", "44.74 ±1.00"}},
			{[]string{"summary concatenation", "p(c|t) p(t)"}, []string{"33.11 ±0.51", "-0.27 ±0.75", "56.22 ±0.45", "3.22 ±0.70", "72.11 ±0.08", "47.46 ±0.39"}},
		},
	},
	{
		Key: "t-table-s3", Paper: T, Place: "Table S3", Title: "Pass@1 (%) of feedback and selection together, 10 pairs of code and tests, mean and standard error over 5 seeds",
		Columns: []string{"selection", "feedback", "BigCode", "Qiskit", "LeetCode"},
		Rows: []Row{
			{[]string{"random", "no"}, []string{"27.43 ±0.31", "52.73 ±0.19", "18.60 ±0.22"}},
			{[]string{"last", "self-test"}, []string{"33.11 ±0.51", "56.22 ±0.45", "72.11 ±0.08"}},
			{[]string{"MaxPass Soft", "no"}, []string{"35.41 ±0.38", "63.22 ±0.19", "25.09 ±0.29"}},
			{[]string{"MaxPass Soft", "self-test"}, []string{"36.22 ±0.47", "60.84 ±0.36", "73.42 ±0.17"}},
		},
	},
	{
		Key: "t-table-s4", Paper: T, Place: "Table S4", Title: "Length and precision of generated test suites over the rounds",
		Columns: []string{"data set", "round", "tests in a suite", "precision"},
		Rows: []Row{
			{[]string{"BigCodeBenchHard", "1"}, []string{"9.86", "41.4%"}},
			{[]string{"BigCodeBenchHard", "5"}, []string{"10.50", "41.9%"}},
			{[]string{"BigCodeBenchHard", "10"}, []string{"10.73", "37.8%"}},
			{[]string{"QiskitHumanEvalSim", "1"}, []string{"7.17", "73.1%"}},
			{[]string{"QiskitHumanEvalSim", "5"}, []string{"7.69", "74.2%"}},
			{[]string{"QiskitHumanEvalSim", "10"}, []string{"7.80", "71.2%"}},
			{[]string{"LeetCodeDataset", "1"}, []string{"11.59", "74.1%"}},
			{[]string{"LeetCodeDataset", "5"}, []string{"11.33", "78.9%"}},
			{[]string{"LeetCodeDataset", "10"}, []string{"11.45", "78.6%"}},
		},
	},
	{
		Key: "t-table-s5", Paper: T, Place: "Table S5", Title: "Collision probability by round, window of 3",
		Columns: []string{"round", "BigCodeBenchHard", "QiskitHumanEvalSim", "LeetCodeDataset"},
		Rows: []Row{
			{[]string{"4"}, []string{"56.40%", "77.48%", "75.29%"}},
			{[]string{"5"}, []string{"62.12%", "80.70%", "81.37%"}},
			{[]string{"6"}, []string{"66.08%", "82.84%", "83.13%"}},
			{[]string{"7"}, []string{"68.29%", "84.38%", "85.56%"}},
			{[]string{"8"}, []string{"71.71%", "87.65%", "87.02%"}},
			{[]string{"9"}, []string{"73.65%", "87.69%", "88.36%"}},
			{[]string{"10"}, []string{"72.93%", "88.34%", "88.89%"}},
		},
	},
	{
		Key: "t-table-s6", Paper: T, Place: "Table S6", Title: "Rank correlation with correctness and signal-to-noise ratio",
		Columns: []string{"data set", "heuristic", "suites", "Spearman", "Kendall", "SNR"},
		Rows: []Row{
			{[]string{"BigCodeBenchHard", "MaxPass Hard", "5"}, []string{"0.500", "0.494", "3.01"}},
			{[]string{"BigCodeBenchHard", "MaxPass Soft", "5"}, []string{"0.495", "0.481", "151.40"}},
			{[]string{"LeetCodeDataset", "MaxPass Hard", "5"}, []string{"0.864", "0.861", "5.11"}},
			{[]string{"LeetCodeDataset", "MaxPass Soft", "5"}, []string{"0.804", "0.793", "553.83"}},
			{[]string{"QiskitHumanEvalSim", "MaxPass Hard", "5"}, []string{"0.787", "0.783", "2.79"}},
			{[]string{"QiskitHumanEvalSim", "MaxPass Soft", "5"}, []string{"0.692", "0.680", "53.53"}},
			{[]string{"BigCodeBenchHard", "MaxPass Hard", "10"}, []string{"0.445", "0.438", "4.69"}},
			{[]string{"BigCodeBenchHard", "MaxPass Soft", "10"}, []string{"0.420", "0.399", "207.08"}},
			{[]string{"LeetCodeDataset", "MaxPass Hard", "10"}, []string{"0.815", "0.811", "7.12"}},
			{[]string{"LeetCodeDataset", "MaxPass Soft", "10"}, []string{"0.757", "0.741", "493.67"}},
			{[]string{"QiskitHumanEvalSim", "MaxPass Hard", "10"}, []string{"0.731", "0.726", "3.96"}},
			{[]string{"QiskitHumanEvalSim", "MaxPass Soft", "10"}, []string{"0.703", "0.686", "73.35"}},
		},
	},
	{
		Key: "t-table-s7", Paper: T, Place: "Table S7", Title: "Pass@1 (%) of B4 and MaxPass Soft after 10 rounds",
		Columns: []string{"data set", "B4", "MaxPass Soft"},
		Rows: []Row{
			{[]string{"BigCodeBenchHard"}, []string{"33.24% ± 0.48%", "35.41% ± 0.75%"}},
			{[]string{"LeetCodeDataset"}, []string{"25.18% ± 0.42%", "25.09% ± 0.57%"}},
			{[]string{"QiskitHumanEvalSim"}, []string{"60.56% ± 0.32%", "63.22% ± 0.38%"}},
		},
	},
}
