from .result import Result as Result
