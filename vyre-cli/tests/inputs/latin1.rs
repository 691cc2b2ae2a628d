// grün
