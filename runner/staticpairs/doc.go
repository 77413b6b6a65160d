// Package staticpairs reads stored outputs of static tools before and after patches,
// and the published outcomes of those patches.
//
// A folder of pairs has one folder for each patch with patch.diff and, for each tool,
// base.TOOL.EXT and patched.TOOL.EXT. Its index.json lists the pairs: dir,
// instance_id, and prediction_file, the file of a published run that the patch is
// from, as a path below the folder that holds the runs. An apply_status.json, if there
// is one, lists the patches from which the pairs were chosen.
package staticpairs
