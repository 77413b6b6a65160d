// Package reviewertest is a model endpoint on a loopback port that answers, fails
// and counts as a test asks it to. It speaks OpenAI-compatible chat completions and
// Anthropic messages. Answers are a function of the request and of how often it was
// seen, so two runs with the same requests see the same answers in any order.
package reviewertest
