package components

const groupTools = "Reviews with tools"

// toolDefinitions explain the numbers of reviews with tools.
var toolDefinitions = []Definition{
	{"tool_end", "end of a review with tools", groupTools, "Reviews that ended in this way ÷ reviews that left a transcript.", "",
		"Votes of the arm that are there, each one review.", "", "Reviews in which the endpoint or the sandbox failed give no vote; they are errors of the experiment and not in the denominator.", "Paper G §S4.2"},
	{"tool_turns", "turns", groupTools, "Replies of the model in one review, the one with the verdict included. The page shows the mean.", "",
		"Reviews that left a transcript.", "", "As for ends.", "Paper G §S4.2"},
	{"tool_commands", "commands", groupTools, "Uses of read_file, search and run that ran a program in the sandbox. The page shows the mean for each review.", "",
		"Reviews that left a transcript.", "", "A use that could not be performed, such as one with broken arguments, is a call and no command.", "Paper G §S4.2"},
	{"tool_tokens", "tokens of a review with tools", groupTools, "Prompt and output tokens of all turns together: each turn sends the whole conversation again.", "",
		"Reviews in which the endpoint reported tokens for every turn.", "", "A review with an unreported turn is left out of the mean; its vote shows unknown tokens.", "Paper G §S4.2"},
}
