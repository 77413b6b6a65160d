// Package formats reads the files that agents, evaluation harnesses and analyzers
// leave behind, and joins what several files say about one attempt.
//
// It does no I/O of its own. Somebody else walks folders and archives, undoes
// compression, and for each file does
//
//	format, _ := formats.Sniff(path, head)             // head: the first SniffLen bytes
//	report, err := formats.Read(format, r, src, emit)  // emit gets the records in order
//	joiner.File(report)
//
// with emit handing each Record to Joiner.Add and, if wanted, to a store. After
// the last file, Joiner.Finish gives attempts, instances and a report of what was
// read, skipped, joined, repeated and contradictory, with every reason counted.
//
// # Reading rules
//
//   - The content decides the format, the name only where contents are alike.
//   - A bad record is a *Problem with file, line, field and reason; reading goes
//     on behind it. Read returns an error only for a failing reader or emit.
//   - Memory stays flat. Lines are split on LF only and may have any length; of a
//     trajectory one step is held at a time. Steps are emitted before the
//     Trajectory that they belong to and name its Ref.
//   - A Joiner keeps hashes, counts and positions, not texts (see Options). Ref
//     names a record inside an import, so that a second pass over the same files
//     can fetch the texts of the attempts that were joined.
//   - Unknown is nil or empty, never zero. A count that can be recomputed is.
//
// # Formats
//
// Names are those of the import report. Trajectories (attempt, steps, usage):
//
//	mini-swe-agent-1, -1.1           mini-swe-agent 1.x and 2.x
//	swe-agent-0.x, -1.x              SWE-agent and descendants; swe-agent-demo-history-only
//	openhands-output-jsonl           OpenHands, events and old pairs; -resolver-jsonl, -event-list, -llm-completion
//	moatless-steps, -transitions, -nodes
//	acr-…                            AutoCodeRover, one folder an attempt
//	codex-exec-events, codex-rollout
//	claude-code-jsonl, claude-code-web-session-json
//	rovo-dev-text, iswe-yaml, migbot-md
//	atif                             Harbor's interchange format
//	inspect-json, inspect-eval-zip   also votes, where a score is a verdict
//	otel-json-lines                  OTLP/JSON spans with GenAI attributes
//	plumbline-traces-jsonl           the project's own export
//
// Submitted patches: predictions-jsonl, predictions-json-array,
// predictions-json-object-by-id, single-prediction-json, predictions-csv,
// vexp-results-jsonl, patch-file. Outcomes: instance-report, instance-report-flat,
// run-report (harness 2.x and 5.x, sb-cli, Multi-SWE-bench), run-report-2024,
// results-summary, resolved-map (Pro), swe-smith-run-report, swe-bench-live-report,
// swe-bench-live-run-report, polybench-result, multi-swe-bench-report,
// acr-final-report, swt-results, polydev-final-results, openhands-eval-report-md,
// and logs: harness-run-log, eval-log-2024, openhands-eval-log. Tasks:
// dataset-rows (JSON and JSON lines), dataset-rows-csv, dataset-rows-parquet,
// apply-status and static-pairs-index (where an instance starts).
//
// Observations: sarif, junit-xml, pytest-json-report, pyflakes-text, flake8-text,
// static-text, pylint-json, ruff-json, critic-table-csv. Recorded answers:
// votes-jsonl, votes-csv, decisions-jsonl, decisions-csv, promptfoo-results.
//
// The other names are recognised, counted and not used: conversations without an
// attempt, function-level sets, judge files, and json-other, jsonl-other, text. A
// file that is not strict JSON is called json-invalid with 0 records, even if a
// comma too many is its only fault and its content is used.
//
// # Records
//
// The number of records of a file counts: for JSON lines, the lines that parse;
// for JSON, the elements of an array, the entries of a keyed object, or 1; for a
// run report, its total_instances (in the 2024 form, the resolved ids); for test
// reports, the cases; for analyzers, the findings (in static-text, the lines that
// are not empty). It is null for logs and text.
//
// # Steps, summary, usage
//
// Steps: mini-swe-agent counts assistant messages; SWE-agent, entries of
// trajectory; Moatless, entries of its list; OpenHands, events of the agent with an
// action other than system; Codex, completed items of kind command_execution,
// mcp_tool_call, file_change and web_search, or calls; AutoCodeRover, tool calls;
// Claude Code, tool uses. Words without an action are emitted as message steps and
// not counted. The summary is the agent's last message, thought or finish text.
// Tokens are summed from the messages where those have them; a cost of zero beside
// tokens is an unknown price.
//
// # Outcomes
//
// "Not resolved" keeps its reason. Judge turns an outcome into a label: only a
// judged failure is a defect. When reports of an attempt disagree the label stays
// unknown and the conflict is listed. Resolved ids of a run report say nothing
// about instances nobody attempted here.
package formats
