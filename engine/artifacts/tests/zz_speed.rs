use bindery_artifacts::*;
use std::time::Instant;
#[test]
fn speed() {
    let edges: Vec<Edge<'static>> = (0..400_000).map(|i| Edge {
        caller_id: format!("django.db.models.query.QuerySet.method{}", i / 7).into(),
        callee_id: format!("django.db.models.sql.compiler.SQLCompiler.quote_name{}", i % 997).into(),
        is_await: false, call_type: CallType::ParamMethod, line: i, raw: "self.query.get_compiler(…).quote_name".into() }).collect();
    let graph = Graph { version: Version, metadata: GraphMetadata { generated_at: String::new(), language: String::new(), source_root: ".".into(), scanned_files: vec![], n_internal_functions: 0, n_boundary_nodes: 0, n_edges: 0, policy: String::new(), unparsed_files: vec![] }, nodes: Default::default(), edges, self_attrs: Default::default(), types: Default::default() };
    for _ in 0..3 {
        let t = Instant::now();
        let text = write::artifact_text(&graph);
        let s = t.elapsed().as_secs_f64();
        eprintln!("write {:.0} MB/s ({} MB)", text.len() as f64 / 1e6 / s, text.len() / 1_000_000);
        let t = Instant::now();
        let n = read::read::<Graph<'static>>("g", std::str::from_utf8(&text).unwrap()).unwrap().value.edges.len();
        eprintln!("read {:.0} MB/s {n}", text.len() as f64 / 1e6 / t.elapsed().as_secs_f64());
    }
}
