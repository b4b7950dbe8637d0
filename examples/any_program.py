"""A program in any language that takes its base URL from the environment. Run it by any-program.mjs, or with a key of yours:

    npx prefixtrace run -- python3 examples/any_program.py
"""
import json
import os
import urllib.request

URL = os.environ.get("ANTHROPIC_BASE_URL", "https://api.anthropic.com") + "/v1/messages"
HEADERS = {
    "content-type": "application/json",
    "anthropic-version": "2023-06-01",
    "x-api-key": os.environ.get("ANTHROPIC_API_KEY", "none"),
}
RULES = "Count the cost of each change twice. " * 300


def ask(system, question):
    body = {
        "model": "claude-opus-5",
        "max_tokens": 100,
        "system": [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": question}],
    }
    request = urllib.request.Request(URL, json.dumps(body).encode(), HEADERS)
    with urllib.request.urlopen(request) as response:
        return json.load(response)


for open_files in (["main.py"], ["main.py", "plan.md"]):
    answer = ask(f"Open files: {', '.join(open_files)}.\n{RULES}", "What should I look at next?")
    print(answer["content"][0]["text"])
