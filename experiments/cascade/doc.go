// Package cascade is the review cascade of paper G, Algorithm 1, as data: cheap
// mechanical checks first, a weak reviewer for what they leave open, and an
// abstention where nobody can tell.
//
// A State says what is known of one patch under one Policy. Next names the one
// thing to do now and does nothing itself; whoever did it tells State.Observe what
// came of it:
//
//	s := cascade.Start(policy)
//	for {
//		a := cascade.Next(s)
//		if a.Kind == cascade.Stop {
//			return a.Verdict, a.Trouble
//		}
//		s, err = s.Observe(do(a))
//	}
//
// Replay does exactly this with outcomes that were stored before, so a published
// figure and a live decision come from the same steps. An outcome that was never
// stored makes the replay say what is missing; it is never invented.
//
// Policies are the rule that paper G evaluated (a passing generated test accepts),
// the rule it recommends (a pass is evidence and no acceptance), and the baselines
// of its Figure 3. Funnel measures episodes by the stage that decided them, and
// Audit names what a generated test got wrong once the reference patch was run.
package cascade
