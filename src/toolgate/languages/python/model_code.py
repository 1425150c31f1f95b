"""Code that comes with a model or a data set of the Hugging Face Hub, and that `trust_remote_code=True` runs.

Anybody can publish there under any name. The code of those who publish the models that everybody uses is taken as that of
a package would be.
"""

from __future__ import annotations

from toolgate.languages.evaluation.shared_state import Evaluation
from toolgate.languages.evaluation.values import TRUE, Unknown, Value, text_of
from toolgate.model.effect import Carrier

_PUBLISHERS = frozenset(
    "01-ai ai21labs alibaba-nlp allenai apple baai baidu bigcode bigscience bytedance coherelabs databricks deepseek-ai"
    " eleutherai facebook google huggingface huggingfacem4 huggingfacetb ibm-granite internlm intfloat jinaai liquidai"
    " meta-llama microsoft minimaxai mistralai moonshotai mosaicml nomic-ai nvidia openai openai-community openbmb opengvlab"
    " qwen salesforce sentence-transformers snowflake stabilityai state-spaces thudm tiiuae xai-org zai-org".split()
)
"""Organisations of the hub in lower case: companies and institutes, read off the hub's lists of models by downloads."""


def load_model(evaluation: Evaluation, name: Value | None, trusts: Value | None = None) -> Value:
    """`from_pretrained(name, trust_remote_code=True)`: the code that its publisher has put beside it."""
    text, report = text_of(name), evaluation.report
    publisher, slash, model = (text or "").partition("/")
    is_of_hub = bool(slash and publisher and model) and "/" not in model and not publisher.startswith((".", "~"))
    if trusts is TRUE and is_of_hub and publisher.lower() not in _PUBLISHERS and not report.is_trusted:
        report.interpret(report.unknown_output(f"the code of {text}"), via=Carrier("trust_remote_code"))
    return Unknown("a model")
