// Package control decides what to do next with a candidate: ask a critic,
// generate another candidate, pay for the verification, or stop. It implements
// the controllers of paper B ("Bayesian control for coding agents", §1, §3–4),
// the baselines they are compared with, and everything needed to score a policy:
// exact expectation under the model, simulation, and replay of recorded
// candidates.
//
// # The problem
//
// A [Problem] has a reward R for a verified correct candidate, costs of the
// actions, a prior, a kernel and critics with their likelihoods. The utility of
// an episode is the reward, if it was earned, minus all costs. Stopping without
// verification is worth 0: were the reward paid without verification, as the
// utility of paper B §3 reads literally, nobody would ever verify. The first
// candidate is in hand at the start and its generation is not charged.
//
// Every critic can be used once for each candidate: a deterministic check says
// nothing new when it is repeated, and a repeated reviewer is not independent of
// itself. The critics used on the candidate in hand are part of the [State].
// [Rules].Repeat lifts this only to reproduce published replays.
//
// # Decide as data
//
// A [Policy] never acts. It maps a state to a [Decision]: an action, the value
// of every available action, one-step thresholds, the value of information of
// each critic and a sentence that gives the reason. Somebody performs the action
// and feeds the result to [Model.Observe], which returns the next state. Replay,
// simulation, exact evaluation and a live run share this step.
//
//	s := p.Model().Start(budget)
//	for {
//		d := p.Decide(s)
//		// perform d.Action, learn the outcome
//		step, err := p.Model().Observe(s, control.Event{Action: d.Action, Outcome: outcome})
//		if err != nil || step.Done {
//			break
//		}
//		s = step.State
//	}
//
// Actions that are equally good (within 1e-12) are taken in the order verify,
// stop, regenerate, then critics as listed.
//
// # The policies
//
// [New] builds one by name; [Names] lists those of a problem.
//
//	always_verify        verify the first candidate; the reference of all differences
//	stop                 do nothing
//	best_of_n_last       regenerate while possible, verify the last
//	best_of_n_select     run all critics on every candidate, verify the one believed in most
//	gate:<critic>        pass: verify; fail: regenerate if possible, else stop
//	pipeline             run all critics, verify if all pass, else as gate
//	pipeline_early_exit  the same, leaving at the first fail
//	loop:<critic>        fail: regenerate if possible; otherwise verify
//	greedy_prior         one step ahead; regenerating is a fresh draw from the prior
//	greedy_kernel        one step ahead; regenerating moves the belief by the kernel
//	dp                   exact finite-horizon dynamic programme
//	dp_tree              the same by recursion on reachable beliefs
//	dp_grid51            the 51-point grid programme of paper B's code release
//
// The names pipeline:<a>+<b> and pipeline_early_exit:<a>+<b> run only the critics
// named.
//
// # The dynamic programme
//
// V(h, g, M, b) is the value with h non-terminal actions and g regenerations
// left, the critics M used and belief b. As a function of b it is the maximum of
// finitely many lines, so [Solve] keeps the lines ("alpha vectors") and is exact
// for every belief at once; [Plan.Regions] cuts the belief axis into the
// intervals in which each action is best. [Unlimited] actions are allowed, since
// a candidate has only so many critics.
//
// # What replay can and cannot say
//
// [Replay] is honest about recorded data: a policy that regenerates past the
// last recorded candidate is censored (forced stop, with an upper bound beside
// the mean); one that asks for an outcome that was never recorded cannot be
// replayed to the end and leaves the mean, with the share replayable shown; one
// that gives the generator other feedback than the logging policy did is
// flagged. Parameters must come from other tasks, see package belief.
package control
