package published

// reviewTables are the results of paper G that are printed as numbers. Curves and
// figures without printed numbers (Fig. 2, 3, S5 and S7 beyond S5.4) are left out:
// nothing is read off a drawing.
var reviewTables = []Table{
	{
		Key: "g-table-1", Paper: G, Place: "Table 1", Title: "Benchmark composition, traces",
		Columns: []string{"set", "n", "acceptable", "omission", "regression", "no change"},
		Rows: []Row{
			{[]string{"GPT-5.4 core"}, []string{"154", "53", "76", "9", "16"}},
			{[]string{"design (Django)"}, []string{"32", "21", "9", "1", "1"}},
			{[]string{"Gemini transfer"}, []string{"59", "15", "33", "1", "10"}},
			{[]string{"GPT-5.4 multilingual"}, []string{"78", "38", "", "", "40"}},
			{[]string{"Claude-Sonnet"}, []string{"120", "23", "", "", "97"}},
		},
		Notes: []string{"The design set is part of the core set; the other 122 traces are held out. The synthetic and controlled cases (37, 34, 30) are not repeated here."},
	},
	{
		Key: "g-table-2", Paper: G, Place: "Table 2 (Fig. 2)", Title: "Held-out upper bound on 122 traces: 90 defects, 32 acceptable",
		Columns: []string{"reviewer", "size", "risk notes", "catch, structured", "over-rejection, structured", "catch, official", "over-rejection, official"},
		Rows: []Row{
			{[]string{"Llama-3.1", "8B", "removed"}, []string{"0.70", "0.75", "0.98", "0.00"}},
			{[]string{"Qwen-2.5", "32B", "kept"}, []string{"0.69", "0.66", "0.96", "0.09"}},
			{[]string{"Qwen-2.5", "72B", "kept"}, []string{"0.43", "0.44", "0.91", "0.47"}},
			{[]string{"GPT-OSS", "120B", "removed"}, []string{"0.51", "0.41", "1.00", "0.00"}},
			{[]string{"Qwen3", "235B", "removed"}, []string{"0.28", "0.19", "0.90", "0.00"}},
			{[]string{"GPT-4.1", "", "removed"}, []string{"0.69", "0.62", "1.00", "0.00"}},
		},
		Notes: []string{"The format of the official evidence was chosen on the 32 design traces and frozen. The size of GPT-4.1 is not published. No interval is printed."},
	},
	{
		Key: "g-table-3", Paper: G, Place: "Table 3", Title: "Frozen cascade, evaluated once",
		Columns: []string{"set", "coverage", "risk", "catch", "over-rejection"},
		Rows: []Row{
			{[]string{"held-out (121)"}, []string{"0.89 [0.84, 0.94]", "0.33 [0.25, 0.43]", "0.76 [0.67, 0.85]", "0.66 [0.49, 0.81]"}},
			{[]string{"Gemini (59)"}, []string{"0.86", "0.26", "0.80", "0.67"}},
		},
		Notes: []string{
			"Brackets are 95% bootstrap intervals; the Gemini values are printed without.",
			"The integer counts behind the rates are derived, not printed: the rates, the class sizes, the abstentions and the false rejections of S4.1 admit exactly one solution without unparseable decisions.",
			"The Gemini risk is printed as 0.26. The counts that all other rates demand give 13/51 = 0.2549, which is 0.26 only when rounded in two steps.",
		},
	},
	{
		Key: "g-6-1", Paper: G, Place: "§6.1", Title: "Cascade on the 32-trace design set",
		Columns: []string{"set", "coverage", "risk", "catch", "ends before the reviewer"},
		Rows:    []Row{{[]string{"design (32)"}, []string{"0.91", "0.24", "10/11", "18/32"}}},
	},
	{
		Key: "g-5-1", Paper: G, Place: "§5.1, §5.2", Title: "Raw and structured evidence",
		Columns: []string{"reviewer", "evidence", "on", "accepted", "catch", "over-rejection"},
		Rows: []Row{
			{[]string{"Llama-3.1-8B", "patch", "nine omissions of the design set"}, []string{"9/9", "", ""}},
			{[]string{"GPT-4.1", "patch", "omissions"}, []string{"", "0.27", ""}},
			{[]string{"Qwen-2.5-32B", "trace", "omissions"}, []string{"", "0.17", ""}},
			{[]string{"GPT-4.1", "structured", "design set"}, []string{"", "0.91", "0.86"}},
		},
	},
	{
		Key: "g-5-4", Paper: G, Place: "§5.4", Title: "Accept and no-change sets: 61 correct patches, 137 submissions without a change",
		Columns: []string{"reviewer", "accepts of correct patches, structured", "the same, official", "accepts of no-change submissions, patch", "the same, official"},
		Rows: []Row{
			{[]string{"Llama-3.1-8B"}, []string{"12/61", "49/61", "64/137", "1/137"}},
			{[]string{"GPT-OSS-120B"}, []string{"5/61", "61/61", "", "1/137"}},
			{[]string{"GPT-4.1"}, []string{"7/61", "61/61", "", "0/137"}},
		},
		Notes: []string{"Accepting a submission without a change is wrong."},
	},
	{
		Key: "g-s4-1", Paper: G, Place: "S4.1", Title: "Where the cascade decides",
		Columns: []string{"set", "before the reviewer", "reach the reviewer", "it abstains on", "catch, decided only", "over-rejection, decided only"},
		Rows: []Row{
			{[]string{"held-out (121)"}, []string{"36/121", "85/121", "13/85", "0.82", "0.84"}},
			{[]string{"Gemini (59)"}, []string{"24/59", "35/59", "8/35", "0.92", "0.77"}},
		},
		Notes: []string{"Held-out: 19 of 21 false rejections come from the reviewer; generated tests have reject precision 0.82 and accept precision 0.30."},
	},
	{
		Key: "g-s4-2", Paper: G, Place: "S4.2", Title: "Tool-using reviewer (GPT-4.1, one sample)",
		Columns: []string{"set", "coverage", "risk", "risk of the cascade on the same traces"},
		Rows: []Row{
			{[]string{"held-out subset (40)"}, []string{"0.55", "0.36", "0.46"}},
			{[]string{"Gemini subset (20)"}, []string{"0.45", "0.11", "0.33"}},
		},
	},
	{
		Key: "g-table-s4", Paper: G, Place: "Table S4", Title: "Catch on 15 synthetic partial-logic omissions",
		Columns: []string{"reviewer", "structured", "with the missing item", "gain"},
		Rows: []Row{
			{[]string{"GPT-4.1"}, []string{"0.53", "1.00", "+0.47"}},
			{[]string{"Qwen-2.5-32B"}, []string{"0.40", "1.00", "+0.60"}},
			{[]string{"GPT-4-Turbo"}, []string{"0.13", "1.00", "+0.87"}},
			{[]string{"Llama-3.1-8B"}, []string{"0.07", "1.00", "+0.93"}},
		},
	},
	{
		Key: "g-s5-4", Paper: G, Place: "S5.4 (Fig. S7b)", Title: "More votes, official evidence: mean correct-decision rate of three reviewers",
		Columns: []string{"votes K", "correct over all"},
		Rows:    []Row{{[]string{"1"}, []string{"0.953"}}, {[]string{"5"}, []string{"0.978"}}, {[]string{"9"}, []string{"0.985"}}},
		Notes:   []string{"Eleven fresh votes in each cell, on the 154 core traces."},
	},
	{
		Key: "g-s6", Paper: G, Place: "S6", Title: "Over-rejection of Qwen-2.5-72B and its sibling, run again",
		Columns: []string{"reviewer", "template", "official", "official with notes"},
		Rows: []Row{
			{[]string{"Qwen-2.5-72B", "frozen"}, []string{"41/53", "26/53"}},
			{[]string{"Qwen-2.5-72B", "frozen, run again"}, []string{"41/53", "28/53"}},
			{[]string{"Qwen-2.5-72B", "calibrated"}, []string{"40/53", "45/53"}},
			{[]string{"Qwen-2.5-32B", "calibrated"}, []string{"44/53", ""}},
		},
	},
}
