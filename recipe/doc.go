// Package recipe compiles YAML and JSON definitions to plans.
//
// A recipe is a graph of agents, people and routers over one shared value, the blackboard:
//
//	topology:
//	  entry_point: score
//	  nodes:
//	    - {type: agent, id: score, agent_ref: score}
//	    - {type: human, id: review, prompt: "Refund {{ amount }}?", options: [approve, reject]}
//	  edges:
//	    - {source: score, target: review, when: "risk == 'high'"}
//
// [Load] and [Parse] check all of it before anything runs and report every problem at once, with file, line and
// column ([definition.Error]). A [Recipe] then is a plan ([Recipe.Plan]) whose value is a map[string]any, what it takes
// ([Recipe.Input]) and what it gives ([Recipe.Output]). [Recipe.Source] is a text that [Restore] compiles again when
// the file is gone, so that a run can be resumed without it.
//
//	r, err := recipe.Load("refund.yaml", recipe.Options{})
//	inputs, err := r.Input(map[string]any{"amount": 120})
//	run, err := rt.Start(ctx, r.Plan(), inputs)
//
// # Agents
//
// An agent is what a node of type agent calls: an expression (kind expr), a program (exec), a web service (http), a
// language model (model), a tool of an MCP server (mcp), or a Go function of a [Library], which [AddTool] adds with a
// description for models. Programs and web services are called within a recorded step (law J5): what they answered is
// kept, and they are not called again when their node is. Both get an idempotency key, in the variable
// FERMATA_IDEMPOTENCY_KEY and in the header Idempotency-Key.
//
// A model is one of the runtime's services, see node.Context.LLM; it may call tools and ask people, and what it gives
// is checked (node.Reason). Connections to MCP servers are in [Options].Servers, and end with it. [Scripts]
// are models whose replies are written down, for tests and demonstrations; [Options].ModelFor uses them instead of others.
//
// An agent of any kind in a recipe may say what it gives, as a JSON Schema under output: it is checked, and names and
// types that follow from it are known when the recipe is loaded. Where nothing is said, a name that comes later may be
// anything until the run gets there. It may say what it takes under input, which is checked before it is called.
//
// Loading follows the schemas through the graph. It is an error if a name is not set on every path, if a member is read
// that is not required, if a value does not fit its place, or if a comparison is never true. [Recipe.Warnings] lists
// what remains open and can fail a run.
//
// A node's max_retries replaces that of its agent's retry, and this the policy's. Its timeout_seconds bounds one try.
// An agent's timeout_seconds bounds one call. Failures that another try cannot change (a missing path, a value that
// does not fit) are not tried again.
//
// ${NAME} stands for a variable of the environment in command, env, url and headers, and nowhere else; $${ is the text
// ${. Such values are taken out of errors and events again, and out of what is answered where the variable is called as
// a secret is (API_KEY, …_TOKEN). [Allow] limits which programs may be run and which addresses called.
//
// A recipe is an agent, too (kind recipe): a subgraph of the same run, with an interface that is enforced (law G6). A node
// with for_each calls its agent once for each element of a list, each as a task of its own (law G5).
//
// # People
//
// A node of type human asks a person, in a required_role, until a deadline with an outcome (law H4). Its assignee is
// the one person who is asked; four_eyes refuses the person who started the run, and not_by the people who answered
// other nodes (law H6). With review a person looks at a value of the blackboard, and approves it, edits it, rejects it,
// or sends it back with a note to the node that made it. The [Trace] records who did what about a question, when and
// why; fermata.Runtime.Reassign and Escalate ask another person.
//
// # Names, paths and expressions
//
// A path names a place on the blackboard: "report.files.0.name". A path that ends in "?" may be missing; "." is the
// whole. Conditions (when), values (set) and texts ("… {{ amount }} …") are expressions of one language. A missing name
// is an error, never an empty value; "a?.b", "a ?? b" and "a == nil" are how an expression says that it may be missing.
// A name that the language would read otherwise is $env["the-name"]. At the end of an on_failure edge the name error
// holds what went wrong: error.message and error.task. Expressions are pure: they have no clock, no randomness and
// bounded work.
//
// An input with a default may be left out; state with a default starts with it; an output with a default takes it
// where nothing brought the output.
//
// Numbers keep their text on the blackboard, as json.Number. Expressions calculate with 64-bit integers where a
// number is written as one, and with floating point elsewhere.
//
// # Edges
//
// In sequential mode, which is the default, a node leads to one other. Of the edges out of a node, the first in written order that holds is taken. An edge that can never be taken, because
// one before it holds whenever it does, is an error. Where none holds, the path ends there; a failure that no edge
// takes fails the run (law F1). A router goes where its routes say, and may have on_failure edges.
//
// In parallel mode (execution_mode in the policy) all edges that hold after a success are taken. Each begins a branch with
// a blackboard of its own. A node at which branches can meet waits for all of them and is given what they changed, put
// together; what several changed needs a rule, merge, beside its schema in state.properties (laws G2 to G4).
//
// # Tests
//
// A recipe may hold tests: inputs, answers, what stands in for agents, and what the run must do. They are checked when
// the recipe is loaded; package recipetest runs them, also with a crash at every append.
//
// The package never schedules anything; that is the work of the engine that is given the plan.
package recipe
