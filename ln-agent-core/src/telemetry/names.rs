//! Names of the conventions, in one place: semantic conventions 1.41, generative AI.

/// What is done: `chat`, `invoke_agent`, `execute_tool`.
pub const OPERATION_NAME: &str = "gen_ai.operation.name";
/// Who serves the model, such as `openai` or `anthropic`.
pub const PROVIDER_NAME: &str = "gen_ai.provider.name";
/// The session.
pub const CONVERSATION_ID: &str = "gen_ai.conversation.id";
/// `text` or `json`.
pub const OUTPUT_TYPE: &str = "gen_ai.output.type";

/// The model that was asked.
pub const REQUEST_MODEL: &str = "gen_ai.request.model";
/// Most tokens of the answer.
pub const REQUEST_MAX_TOKENS: &str = "gen_ai.request.max_tokens";
/// Temperature.
pub const REQUEST_TEMPERATURE: &str = "gen_ai.request.temperature";
/// Whether the answer was wanted in pieces.
pub const REQUEST_STREAM: &str = "gen_ai.request.stream";

/// The provider's number of the answer.
pub const RESPONSE_ID: &str = "gen_ai.response.id";
/// The model that answered.
pub const RESPONSE_MODEL: &str = "gen_ai.response.model";
/// Why it stopped; a list.
pub const RESPONSE_FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
/// Seconds until the first piece.
pub const RESPONSE_TIME_TO_FIRST_CHUNK: &str = "gen_ai.response.time_to_first_chunk";

/// Tokens sent, cached ones included.
pub const USAGE_INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
/// Tokens received, reasoning included.
pub const USAGE_OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
/// Those of the sent ones that were cached.
pub const USAGE_CACHE_READ_INPUT_TOKENS: &str = "gen_ai.usage.cache_read.input_tokens";

/// Name of the agent.
pub const AGENT_NAME: &str = "gen_ai.agent.name";
/// Version of the agent.
pub const AGENT_VERSION: &str = "gen_ai.agent.version";

/// Name of the tool.
pub const TOOL_NAME: &str = "gen_ai.tool.name";
/// Number of the call; ours is the step, such as `step2`.
pub const TOOL_CALL_ID: &str = "gen_ai.tool.call.id";
/// Always `function`.
pub const TOOL_TYPE: &str = "gen_ai.tool.type";

/// Content, opt-in: the system prompt.
pub const SYSTEM_INSTRUCTIONS: &str = "gen_ai.system_instructions";
/// Content, opt-in: what was said before the answer.
pub const INPUT_MESSAGES: &str = "gen_ai.input.messages";
/// Content, opt-in: the answer.
pub const OUTPUT_MESSAGES: &str = "gen_ai.output.messages";
/// Content, opt-in: the tools that were offered.
pub const TOOL_DEFINITIONS: &str = "gen_ai.tool.definitions";
/// Content, opt-in: arguments of a tool call.
pub const TOOL_CALL_ARGUMENTS: &str = "gen_ai.tool.call.arguments";
/// Content, opt-in: result of a tool call.
pub const TOOL_CALL_RESULT: &str = "gen_ai.tool.call.result";

/// Host of the provider.
pub const SERVER_ADDRESS: &str = "server.address";
/// Port of the provider.
pub const SERVER_PORT: &str = "server.port";
/// What kind of failure, in few different words.
pub const ERROR_TYPE: &str = "error.type";

/// Of a token count: `input` or `output`.
pub const TOKEN_TYPE: &str = "gen_ai.token.type";
/// Histogram of tokens per call.
pub const TOKEN_USAGE: &str = "gen_ai.client.token.usage";
/// Histogram of seconds per call.
pub const OPERATION_DURATION: &str = "gen_ai.client.operation.duration";

/// Ours: number of the request within its runtime directory.
pub const REQUEST_ID: &str = "app.ln.request_id";
/// Ours: name of the run.
pub const RUN_ID: &str = "app.ln.run_id";
/// Ours: `ok`, `partial`, `failed`, `refused` or `unknown`.
pub const OUTCOME: &str = "app.ln.outcome";
/// Ours: attempt of a step, from 1.
pub const ATTEMPT: &str = "app.ln.attempt";
/// Ours: the amount in a tool's arguments, in millisatoshis.
pub const AMOUNT_MSAT: &str = "app.ln.amount_msat";
/// Ours: the most that the plan could have spent, in millisatoshis.
pub const WORST_CASE_SPEND_MSAT: &str = "app.ln.worst_case_spend_msat";

/// Upper bounds of the buckets of [`TOKEN_USAGE`]: powers of 4.
pub const TOKEN_BUCKETS: [f64; 14] = [
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1_024.0,
    4_096.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];

/// Upper bounds of the buckets of [`OPERATION_DURATION`], in seconds: each twice the one before.
pub const DURATION_BUCKETS: [f64; 14] =
    [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
