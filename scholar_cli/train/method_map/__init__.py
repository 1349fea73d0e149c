"""The linear map in which sentences of one method are alike whatever their topic."""
