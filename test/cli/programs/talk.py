"""The same from another language, with nothing but its standard library."""
import json, os, urllib.request

request = urllib.request.Request(
    os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages",
    json.dumps({"model": "claude-sonnet-5", "max_tokens": 9, "messages": [{"role": "user", "content": "Où?"}]}).encode(),
    {"x-api-key": "k", "anthropic-version": "2023-06-01", "content-type": "application/json", "x-prefixtrace-phase": "python"},
)
with urllib.request.urlopen(request) as response:
    print(json.load(response)["content"][0]["text"])
